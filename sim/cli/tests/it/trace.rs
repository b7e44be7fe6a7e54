//! Traces on the command line: recorded, shown, replayed, explained, refused.
use std::path::Path;

use sim::pft::{Item, Reader, Redactor, Writer};

use crate::help::{examples, type_it};
use crate::{Desk, SMALL};

/// A desk with a scenario and its trace `storm.pft`.
fn recorded(flags: &[&str]) -> Desk {
    let desk = Desk::with(SMALL);
    let args = ["run", "storm.ron", "--trace", "storm.pft"];
    let ended = desk.run(&[&args, flags].concat()).ends_with(0);
    assert!(ended.stderr.contains("trace storm.pft: "), "{}", ended.stderr);
    desk
}

fn bytes(desk: &Desk) -> Vec<u8> {
    std::fs::read(desk.folder.path().join("storm.pft")).expect("it was written")
}

#[test]
fn every_example_of_replay_and_trace_can_be_typed() {
    let codes = [0, 5, 0];
    for (example, code) in examples("replay").iter().zip(codes) {
        assert!(!type_it(example).ends_with(code).stdout.is_empty(), "{example:?}");
    }
    for example in &examples("trace")[..2] {
        assert!(!type_it(example).ends_with(0).stdout.is_empty(), "{example:?}");
    }
}

#[test]
fn a_recorded_run_replays_and_its_report_is_the_same() {
    let desk = recorded(&[]);
    let with = desk.run(&["run", "storm.ron", "--format", "json", "--trace", "other.pft"]);
    let without = desk.run(&["run", "storm.ron", "--format", "json"]);
    let digest = |text: &str| {
        let report: serde_json::Value = serde_json::from_str(text).expect("JSON");
        report["digest"].clone()
    };
    assert_eq!(digest(&with.stdout), digest(&without.stdout));
    let replayed = desk.run(&["replay", "storm.pft"]).ends_with(0);
    assert!(replayed.stdout.contains("verdict   pass"), "{}", replayed.stdout);
    assert!(replayed.stdout.contains("the recorded one"), "{}", replayed.stdout);
}

#[test]
fn a_difference_ends_with_5_and_names_what_would_remove_it() {
    let desk = recorded(&[]);
    let args = ["replay", "storm.pft", "--set", "config.opens_per_pass=7"];
    let ended = desk.run(&args).ends_with(5);
    for part in [
        "expected  out.receive queue=tunnel",
        "got       out.receive queue=disco",
        "clause    WG-DISCO-1",
        "matches if config.opens_per_pass=4, to the end  (WG-DISCO-1)",
    ] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    let marked = ended.stdout.lines().filter(|line| line.starts_with('>')).count();
    assert_eq!(marked, 1, "{}", ended.stdout);
}

#[test]
fn another_cost_table_is_held_against_the_recorded_times() {
    let desk = recorded(&[]);
    let high = desk.run(&["replay", "storm.pft", "--set", "costs.x25519_ms=40"]).ends_with(5);
    assert!(high.stdout.contains("the table is too high; matches if costs.x25519_ms="));
    let table = crate::root().join("scenarios/costs/o3.ron").display().to_string();
    let other = desk.run(&["replay", "storm.pft", "--costs", &table]).ends_with(0);
    assert!(other.stdout.contains("or it was interrupted"), "{}", other.stdout);
}

#[test]
fn what_if_shows_both_columns_and_that_the_model_is_the_recording() {
    let desk = recorded(&[]);
    let args = ["replay", "storm.pft", "--what-if", "config.disco_queue_depth=2"];
    let ended = desk.run(&args).ends_with(0);
    assert!(ended.stdout.contains("it takes the very steps that were recorded"));
    assert!(ended.stdout.contains("\ndisco_shed "), "{}", ended.stdout);
}

#[test]
fn a_cut_trace_is_shown_as_far_as_it_goes_and_ends_with_7() {
    let desk = recorded(&[]);
    let whole = bytes(&desk);
    desk.write("storm.pft", &whole[..whole.len() * 2 / 3]);
    let info = desk.run(&["trace", "info", "storm.pft"]).ends_with(7);
    assert!(info.stdout.contains("gap            cut: an unknown number of records"));
    assert!(info.stdout.contains("complete       no"));
    let replayed = desk.run(&["replay", "storm.pft"]).ends_with(7);
    assert!(replayed.stdout.contains("cannot tell from record"), "{}", replayed.stdout);
    assert!(replayed.stdout.contains("log next  "), "{}", replayed.stdout);
    let rendered = desk.run(&["trace", "render", "storm.pft", "--from", "5", "--records", "3"]);
    assert_eq!(rendered.ends_with(0).stdout.lines().count(), 3);
}

#[test]
fn a_trace_whose_digest_is_not_that_of_its_steps_ends_with_9() {
    let desk = recorded(&[]);
    let whole = bytes(&desk);
    let reader = Reader::open(&whole[..]).expect("a trace");
    let head = reader.head().expect("a head").clone();
    let mut writer = Writer::create(Vec::new(), &head, Redactor::off()).expect("memory");
    for item in reader {
        let Item::Record(record) = item.expect("valid") else { panic!("a record") };
        writer.record(record.at, &record.event).expect("in order");
    }
    desk.write("storm.pft", &writer.finish(Some(7)).expect("memory"));
    let ended = desk.run(&["replay", "storm.pft"]).ends_with(9);
    assert!(ended.stdout.contains("it is not of these steps"), "{}", ended.stdout);
}

#[test]
fn files_that_are_no_traces_are_refused_by_name() {
    let desk = recorded(&[]);
    let whole = bytes(&desk);
    let mut version = whole.clone();
    version[8] = 9;
    let crc = crc32fast::hash(&version[..12]);
    version[12..16].copy_from_slice(&crc.to_le_bytes());
    let text = b"1000,hb,7,96\n".repeat(100_000);
    for (bytes, reason) in [
        (&text[..], "it is no trace"),
        (b"PFT", "it is no trace"),
        (&version, "it is of version 9; this reader knows version 1"),
    ] {
        desk.write("bad.pft", bytes);
        for args in [
            &["replay", "bad.pft"][..],
            &["trace", "info", "bad.pft"],
            &["trace", "render", "bad.pft"],
        ] {
            desk.run(args).refuses(&["bad.pft", reason]);
        }
    }
    desk.run(&["replay", "none.pft"]).refuses(&["none.pft", "cannot be read"]);
    desk.run(&["trace", "device", "storm.pft", "out.pft", "--scenario", "storm.ron"]).refuses(&[
        "storm.pft",
        "dump 0",
        "not those of a recorder's dump",
    ]);
    // Nothing of it is left, which is a gap and not a fault of the file.
    desk.write("bad.pft", &whole[..10]);
    desk.run(&["replay", "bad.pft"]).ends_with(7);
}

#[test]
fn an_override_that_is_wrong_is_refused_as_in_a_scenario() {
    let desk = recorded(&[]);
    desk.run(&["replay", "storm.pft", "--set", "config.opens_per_pas=3"])
        .refuses(&["--set config.opens_per_pas=3", "the nearest is `config.opens_per_pass`"]);
    desk.run(&["replay", "storm.pft", "--what-if", "config.peer_table=999"])
        .refuses(&["`peer_table` is 999"]);
    desk.run(&["replay", "storm.pft", "--preset", "ARM-9"]).refuses(&["ARM-9", "ARM-1"]);
}

#[test]
fn addresses_are_pseudonyms_unless_they_are_to_be_kept() {
    let says = |desk: &Desk, what: &str| {
        let info = desk.run(&["trace", "info", "storm.pft"]).ends_with(0);
        assert!(info.stdout.contains(what), "{}", info.stdout);
    };
    let address = [192, 168, 1, 66];
    let holds = |desk: &Desk| bytes(desk).windows(4).any(|window| window == address);
    let (redacted, kept) = (recorded(&[]), recorded(&["--keep-addresses"]));
    says(&redacted, "redacted       yes");
    says(&kept, "redacted       no");
    assert!(!holds(&redacted) && holds(&kept));
    kept.run(&["replay", "storm.pft"]).ends_with(0);
}

#[test]
fn a_trace_that_cannot_be_written_is_refused() {
    let desk = Desk::with(SMALL);
    let path = Path::new("none").join("storm.pft").display().to_string();
    desk.run(&["run", "storm.ron", "--trace", &path]).refuses(&["cannot be written"]);
}
