//! Bounds: verdicts and their codes, certificates and what is refused as one, coverage.
use firmware_core::charge::CostKey;
use models::bound::paths::{is_expensive, roads_to};
use serde_json::Value;

use crate::help::{examples, type_it};
use crate::{Desk, Ended, SMALL, root};

/// The small storm, seen with the preset of the test.
fn bound(desk: &Desk, more: &[&str]) -> Ended {
    desk.run(&[&["bound", "storm.ron"], more].concat())
}

#[test]
fn every_example_of_bound_is_carried_out() {
    for example in examples("bound") {
        let ended = type_it(&example);
        assert!(matches!(ended.code, Some(0 | 7)), "{example:?}: {ended:#?}");
        assert!(!ended.stdout.is_empty(), "{example:?}");
    }
}

/// Cites WG-DISCO-1 and WG-Q2: 4 opens of 28.3 ms and their symmetric part, or one.
#[test]
fn a_bounded_wait_ends_with_zero_and_names_what_binds() {
    let desk = Desk::with(SMALL);
    let ended = bound(&desk, &["--set", "costs.box_symmetric_ms=0"]).ends_with(0);
    for part in [
        "preset     ARM-1",
        "at most 113.200 ms",
        "4 x DISCO packets that cost open budget",
        "measured  InitiationReceived 113.200 ms",
        "stated: the scenario",
        "inbound initiations",
        "not bounded: no budget on inbound initiations",
    ] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    let preset = ["--preset", "ILV-3", "--set", "costs.box_symmetric_ms=0"];
    let ended = bound(&desk, &preset).ends_with(0);
    assert!(ended.stdout.contains("at most 28.300 ms"), "{}", ended.stdout);
}

#[test]
fn an_unbounded_wait_ends_with_seven_and_names_the_smallest_missing_fact() {
    let desk = Desk::with(SMALL);
    let ended = bound(&desk, &["--preset", "PRE-0"]).ends_with(7);
    assert!(ended.stdout.contains("not bounded: no budget on unknown opens"), "{}", ended.stdout);
    let ended = bound(&desk, &["--initiations", "unlimited"]).ends_with(7);
    let missing = "not bounded: no budget on inbound initiations";
    assert!(ended.stdout.contains(missing), "{}", ended.stdout);
    bound(&desk, &["--initiations", "2"]).ends_with(0);
    bound(&desk, &["--initiations", "9"]).ends_with(7);
}

/// An assumed figure that binds bounds nothing, unless the question states it.
#[test]
fn an_assumed_figure_that_binds_is_a_missing_measurement() {
    let junk =
        SMALL.replace("name: \"strangers\"", "name: \"strangers\", magic_hex: \"540000000000\"");
    let desk = Desk::with(&junk.replace("even(rate_per_s: 600)", "burst(count: 20)"));
    let ended = bound(&desk, &[]).ends_with(7);
    for part in ["no measurement of tunnel_reject_ms", "only if              at most 11.000 ms"] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    bound(&desk, &["--set", "costs.tunnel_reject_ms=0.05"]).ends_with(0);
}

#[test]
fn the_json_has_the_same_facts() {
    let args = ["--format", "json", "--set", "costs.box_symmetric_ms=0"];
    let ended = bound(&Desk::with(SMALL), &args).ends_with(0);
    let value: Value = serde_json::from_str(&ended.stdout).expect("the output is JSON");
    let answer = &value["answers"][0];
    assert_eq!(answer["preset"], "ARM-1");
    assert_eq!(answer["verdict"]["wait_ms"], 113.2);
    assert_eq!(answer["verdict"]["binding_gap"], "work");
    let missing = &answer["with_any"]["initiations"]["missing"][0];
    assert_eq!(missing, "no budget on inbound initiations");
}

#[test]
fn the_model_answers_for_every_preset() {
    let ended = type_it(&["bound", "wg_mgr"].map(str::to_owned)).ends_with(7);
    for preset in ["PRE-0", "ARM-1", "KEY-2", "ILV-3", "HEAD-4"] {
        assert!(ended.stdout.lines().any(|line| line.starts_with(preset)), "{}", ended.stdout);
    }
    let known = "with any known-key arrivals: not bounded: no bound on known-key arrivals";
    assert_eq!(ended.stdout.matches(known).count(), 3, "KEY-2, ILV-3 and HEAD-4");
    let one = ["bound", "wg_mgr", "--preset", "HEAD-4"].map(str::to_owned);
    type_it(&one).ends_with(0);
    Desk::with(SMALL).run(&["bound", "wg_mgr"]).refuses(&["which is not here", "project's folder"]);
}

#[test]
fn a_certificate_holds_until_something_in_it_is_changed() {
    let desk = Desk::with(SMALL);
    bound(&desk, &["--certificate", "storm.json"]).ends_with(0);
    let path = desk.folder.path().join("storm.json");
    let honest = std::fs::read_to_string(&path).expect("it was written");
    let ended = desk.run(&["bound", "--verify", "storm.json"]).ends_with(0);
    assert!(ended.stdout.starts_with("holds      one second of strangers\n"), "{}", ended.stdout);
    // The same scenario, and the same with another premise.
    bound(&desk, &["--verify", "storm.json"]).ends_with(0);
    let other = ["--verify", "storm.json", "--set", "costs.x25519_ms=11.3"];
    let ended = bound(&desk, &other).ends_with(9);
    assert!(ended.stderr.contains("about other premises"), "{}", ended.stderr);
    desk.write("storm.json", honest.replace("\"wait_ns\": 1", "\"wait_ns\": 2").as_bytes());
    let ended = desk.run(&["bound", "--verify", "storm.json"]).ends_with(9);
    assert!(ended.stderr.contains("does not hold"), "{}", ended.stderr);
    desk.write("storm.json", &honest.as_bytes()[..honest.len() / 2]);
    desk.run(&["bound", "--verify", "storm.json"]).refuses(&["it is no certificate"]);
    desk.write("storm.json", &[0xff, 0xfe, 0x00]);
    desk.run(&["bound", "--verify", "storm.json"]).refuses(&["cannot be read"]);
    desk.run(&["bound", "--verify", "absent.json"]).refuses(&["cannot be read", "--certificate"]);
}

#[test]
fn without_a_bound_there_is_no_certificate() {
    let desk = Desk::with(SMALL);
    let args = ["--preset", "PRE-0", "--certificate", "storm.json"];
    let ended = bound(&desk, &args).ends_with(7);
    assert!(ended.stderr.contains("no certificate"), "{}", ended.stderr);
    assert!(!desk.folder.path().join("storm.json").exists());
}

/// Cites WG-DISCO-1, WG-HS-4 and WG-LEASE-1: the roads without a budget.
#[test]
fn coverage_lists_roads_without_a_budget_for_each_preset() {
    let ended = type_it(&["bound", "--coverage"].map(str::to_owned)).ends_with(0);
    for part in ["inbound initiation", "ping after a demotion", "zero-copy ring", "✗ none"] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    let args = ["bound", "--coverage", "--format", "json"].map(str::to_owned);
    let value: Value = serde_json::from_str(&type_it(&args).ends_with(0).stdout).expect("JSON");
    let roads = value["roads"].as_array().expect("a list");
    // Each road to each operation that takes milliseconds, with a limit for each preset.
    let expensive: Vec<_> = CostKey::ALL.into_iter().filter(|key| is_expensive(*key)).collect();
    let declared = expensive.iter().map(|key| roads_to(*key).len()).sum::<usize>();
    let listed = roads.iter().filter(|road| road["expensive"] == true);
    let whole = listed.filter(|road| {
        let presets = road["presets"].as_object().expect("a limit for each preset");
        presets.len() == 5 && presets.values().all(|limit| limit["limit"].is_string())
    });
    assert_eq!(whole.count(), declared);
    let known = roads.iter().find(|road| road["road"] == "box from a bulk peer's key");
    let presets = &known.expect("it is listed")["presets"];
    assert_eq!(presets["ARM-1"]["limit"], "4 a pass");
    assert_eq!(
        (&presets["KEY-2"]["budget"], &presets["KEY-2"]["limit"]),
        (&false.into(), &"none".into())
    );
}

/// Cites ER-1 and ER-1 N-1.
#[test]
fn the_reads_waits_are_bounded_arm_by_arm() {
    let ended = type_it(&["bound", "m3_read"].map(str::to_owned)).ends_with(0);
    for part in ["arm F", "arm 1", "arm 2", "continuation, from the accept", "ER-1 N-1"] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    let args = ["bound", "m3_read", "--preset", "2", "--format", "json"].map(str::to_owned);
    let value: Value = serde_json::from_str(&type_it(&args).ends_with(0).stdout).expect("JSON");
    let read = &value["arms"][0]["requests"][0];
    assert!((93_000_000_000_u64..94_000_000_000).contains(&read["most_ns"].as_u64().expect("ns")));
    let page = root().join("scenarios/m3_read/wiki_arm_f_at_1_mhz.ron").display().to_string();
    let ended = Desk::with(SMALL).run(&["bound", &page]).ends_with(0);
    assert!(ended.stdout.contains("arm F"), "{}", ended.stdout);
}

#[test]
fn what_is_no_question_is_refused_with_the_next_step() {
    let desk = Desk::with(SMALL);
    bound(&desk, &["--initiations", "many"]).refuses(&["`--initiations many`", "unlimited"]);
    bound(&desk, &["--initiations", "-1"]).ends_with(2);
    bound(&desk, &["--preset", "ILV3"]).refuses(&["no preset `ILV3`", "ILV-3"]);
    desk.run(&["bound", "--coverage", "--preset", "ILV3"]).refuses(&["the presets are PRE-0"]);
    desk.run(&["bound", "m3_read", "--preset", "3"]).refuses(&["no arm `3`", "F, 1, 2"]);
    desk.run(&["bound"]).ends_with(2);
    desk.run(&["bound", "absent.ron"]).refuses(&["absent.ron"]);
    let folder = ["--certificate", "absent/storm.json"];
    bound(&desk, &folder).ends_with(2);
}
