//! Help, explanations, schemas and completions; the examples of the help are typed as they stand.
use crate::{Desk, Ended, root};

fn say(args: &[&str]) -> Ended {
    Desk::with("").run(args)
}

/// The examples that the help of a verb shows, as words behind the program's name.
pub(crate) fn examples(verb: &str) -> Vec<Vec<String>> {
    let help = say(&[verb, "--help"]).ends_with(0).stdout;
    let lines = help.lines().filter_map(|line| line.strip_prefix("  preflash "));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    let examples: Vec<Vec<String>> = lines.map(words).collect();
    assert_eq!(examples.len(), 3, "of {verb}");
    examples
}

/// Types an example in the project's root.
pub(crate) fn type_it(example: &[String]) -> Ended {
    let args: Vec<&str> = example.iter().map(String::as_str).collect();
    let output = Desk::with("").command(&args).current_dir(root()).output();
    Ended::new(&output.expect("the binary starts"))
}

#[test]
fn every_example_of_the_help_can_be_typed() {
    for verb in ["explain", "schema", "completions"] {
        for example in examples(verb) {
            let ended = type_it(&example).ends_with(0);
            assert!(!ended.stdout.is_empty(), "{example:?}");
        }
    }
}

#[test]
fn no_verb_at_all_is_a_wrong_use_that_shows_the_help() {
    let ended = say(&[]).ends_with(2);
    assert!(ended.stderr.contains("Usage: preflash"), "{}", ended.stderr);
}

#[test]
fn one_id_of_each_kind_is_explained() {
    for (id, part) in [
        ("WG-DISCO-1", "4 opens"),
        ("wg-disco-1", "4 opens"),
        ("PF-91", "known keys"),
        ("heartbeat_wait_ms_max", "The longest wait of a heartbeat."),
        ("ILV-3", "drained after each add"),
        ("x25519_ms", "one X25519"),
        ("config.opens_per_pass", "a whole number from 0 to 65535, unlimited"),
        ("opens_per_pass", "config.opens_per_pass"),
        ("inbound_loss", "A datagram to the device is lost."),
        ("read_end", "How the last READ ended"),
        ("second_more", "read_end is 45"),
        ("$8B", "last_error is 139"),
        ("arm-2", "1472 bytes in a block and one continuation"),
        ("prefetch_steps", "--set parameters.prefetch_steps=N"),
        ("reply.after_steps", "field of a READ scenario"),
        ("ER-5", "ER-5"),
        ("exit-130", "interrupted"),
        ("70", "exit-70"),
    ] {
        let ended = say(&["explain", id]).ends_with(0);
        assert!(ended.stdout.contains(part), "{id}: {}", ended.stdout);
    }
}

#[test]
fn an_unknown_id_is_answered_with_the_nearest() {
    let parts = ["nothing is called `WG-DISKO-1`", "the nearest is `WG-DISCO-1`"];
    say(&["explain", "WG-DISKO-1"]).refuses(&parts);
    say(&["explain", "heartbeat_wait_max"]).refuses(&["the nearest is `heartbeat_wait_ms_max`"]);
}

#[test]
fn explain_lists_every_kind_without_an_id() {
    let list = say(&["explain"]).ends_with(0).stdout;
    let kinds = [
        "clauses",
        "pitfalls",
        "metrics",
        "presets",
        "costs",
        "fields",
        "fields of READ scenarios",
        "fault points",
        "arms",
        "parameters of the READ path",
        "errors of the READ client",
        "read ends",
        "exit codes",
    ];
    for kind in kinds {
        assert!(list.lines().any(|line| line == kind), "{kind}");
    }
    assert!(list.lines().all(|line| line.chars().count() <= 96));
}

#[test]
fn every_schema_is_json_and_describes_its_subject() {
    for (of, pointer) in [
        ("scenario", "/properties/duration_ms/description"),
        ("read-scenario", "/properties/reply/description"),
        ("costs", "/properties/rows/description"),
        ("report", "/properties/metrics/properties/heartbeat_lost/description"),
    ] {
        let ended = say(&["schema", of]).ends_with(0);
        let schema: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert!(schema.pointer(pointer).is_some(), "{of}");
    }
}

#[test]
fn completions_know_the_verbs_and_the_presets() {
    let script = say(&["completions", "bash"]).ends_with(0).stdout;
    assert!(script.contains("explain") && script.contains("ILV-3"));
}

#[test]
fn a_reader_that_closes_early_is_no_error() {
    let mut child = Desk::with("")
        .command(&["schema", "scenario"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = Ended::new(&child.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}
