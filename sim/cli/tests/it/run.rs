//! Runs: verdicts and their codes, both formats, the repeat command, interruption.
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::Value;
use sim::report::metrics::Metric;

use crate::{Desk, Ended, SMALL};

#[test]
fn a_run_that_holds_ends_with_zero_and_says_its_seed_first() {
    let ended = Desk::with(SMALL).run(&["run", "storm.ron"]).ends_with(0);
    assert_eq!(ended.stderr, "seed 1\n");
    assert!(ended.stdout.starts_with("run        one second of strangers\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("✓ virtual_s"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("violated"), "{}", ended.stdout);
}

#[test]
fn a_violated_expectation_ends_with_one_and_a_page() {
    let text = SMALL.replace("value: 1, cites: \"case 02\"", "at_least: 2, cites: \"WG-DISCO-1\"");
    let args = ["run", "storm.ron", "--seed", "7", "--set", "costs.x25519_ms=11.3"];
    let ended = Desk::with(&text).run(&args).ends_with(1);
    let command = "preflash run storm.ron --seed 7 --set costs.x25519_ms=11.3";
    for part in ["✗ virtual_s", "at least 2 s", "1 s", "WG-DISCO-1: In each pass", "storm.ron:9"]
    {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    assert!(ended.stdout.contains(&format!("repeat     {command}\n")), "{}", ended.stdout);
    assert!(ended.stderr.contains(&format!("repeat: {command}")), "{}", ended.stderr);
}

#[test]
fn the_repeat_command_gives_the_same_digest() {
    let desk = Desk::with(&SMALL.replace("value: 1", "value: 2"));
    let args =
        ["run", "storm.ron", "--format", "json", "--preset", "ILV-3", "--set", "title=a 'b'"];
    let first = json(&desk.run(&args).ends_with(1));
    let command = first["command"].as_str().unwrap();
    assert_eq!(
        command,
        r"preflash run storm.ron --preset ILV-3 --seed 1 --set 'title=a '\''b'\'''"
    );
    let typed = command.replace("preflash", env!("CARGO_BIN_EXE_preflash")) + " --format json";
    let output = Command::new("sh").args(["-c", &typed]).current_dir(desk.folder.path()).output();
    let second = json(&Ended::new(&output.unwrap()).ends_with(1));
    assert_eq!(first["title"], "a 'b'");
    for key in ["digest", "scenario_hash", "seed", "events", "metrics"] {
        assert_eq!(first[key], second[key], "{key}");
    }
}

#[test]
fn the_json_names_only_metrics_of_the_catalogue() {
    let report =
        json(&Desk::with(SMALL).run(&["run", "storm.ron", "--format", "json"]).ends_with(0));
    assert_eq!((&report["seed"], &report["holds"]), (&Value::from(1), &Value::from(true)));
    assert_eq!(report["digest"].as_str().unwrap().len(), 32);
    let metrics = report["metrics"].as_object().unwrap();
    assert!(metrics.len() > 20);
    for name in metrics.keys() {
        assert!(Metric::parse(name).is_some(), "{name}");
    }
}

/// Cites CAP-1 to CAP-4, WG-HB-1 and WG-NVS-2 in what it looks for.
#[test]
fn limits_are_printed_with_margins_when_asked_for() {
    let desk = Desk::with(SMALL);
    let ended = desk.run(&["run", "storm.ron", "--limits"]);
    for part in ["build_setting_peers", "settings_byte", "heartbeat_capacity", "nvs_24_kib_cache"] {
        assert!(ended.stdout.contains(part), "{part}");
    }
    let plain = desk.run(&["run", "storm.ron"]);
    assert!(!plain.stdout.contains("heartbeat_capacity"));
    let object = json(&desk.run(&["run", "storm.ron", "--limits", "--format", "json"]));
    let rows = object["limits"].as_array().unwrap();
    let heartbeats = rows.iter().find(|row| row["name"] == "heartbeat_capacity").unwrap();
    assert_eq!(
        (&heartbeats["limit"], &heartbeats["margins"]),
        (&240.into(), &[224, 112, -16].into())
    );
}

#[test]
fn an_interrupted_run_prints_what_there_is_marked_partial() {
    let desk = Desk::with(&SMALL.replace("1000", "31536000000"));
    let args = ["run", "storm.ron", "--progress", "always", "--set", "config.crypto=modelled"];
    let mut child =
        desk.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("virtual s, ") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "the run goes on: {said}");
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    stderr.read_to_string(&mut said).unwrap();
    let ended = Ended::new(&child.wait_with_output().unwrap()).ends_with(130);
    assert!(ended.stdout.starts_with("PARTIAL "), "{}", ended.stdout);
    assert!(said.starts_with("seed 1\n"), "{said}");
    assert!(said.contains("interrupted") && said.contains("repeat: preflash run"), "{said}");
}

#[test]
fn a_short_run_shows_no_progress_even_when_asked() {
    let ended = Desk::with(SMALL).run(&["run", "storm.ron", "--progress", "always"]).ends_with(0);
    assert_eq!(ended.stderr, "seed 1\n");
}

#[track_caller]
fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).expect("the output is JSON")
}
