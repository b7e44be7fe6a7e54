//! A trace of this version, kept: later versions read it, and the core still takes its steps.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sim::pft::{Event, Item, Reader, TraceSubject};
use sim::replay::{Asked, Verdict, replay};

fn storm() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios/traces/storm_arm_1.pft")
}

#[test]
fn the_kept_trace_is_read_whole() {
    let bytes = std::fs::read(storm()).expect("it is shipped");
    let mut reader = Reader::open(&bytes[..]).expect("a trace");
    let head = reader.head().expect("a head");
    assert_eq!((head.subject(), head.get("seed")), (TraceSubject::WgMgr, Some("1")));
    assert_eq!(head.get("redacted"), Some("yes"));
    let items: Vec<_> = (&mut reader).map(|item| item.expect("valid")).collect();
    assert!(items.iter().all(|item| matches!(item, Item::Record(_))));
    let end = reader.end().expect("it is complete");
    assert_eq!((end.records, items.len()), (1_036, 1_036));
    assert_eq!(end.digest, Some(0x6799_bbec_dc6a_6593_5122_749f_bb74_05b5));
}

#[test]
fn the_core_still_takes_the_steps_of_the_kept_trace() {
    let (_, outcome) =
        replay(&storm(), &Asked::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(matches!(outcome.verdict, Verdict::Pass), "{:?}", outcome.verdict);
    assert_eq!((outcome.steps, outcome.is_same_digest()), (302, Some(true)));
}

/// The words of a schema line: its number and name, its fields, and each choice.
fn words(line: &str) -> BTreeSet<&str> {
    line.split([' ', '(', ')']).filter(|word| !word.is_empty()).collect()
}

/// A kind may be added, and a choice may gain a word; nothing that is there may change its number,
/// its name, its fields or its words.
#[test]
fn every_kind_of_the_kept_trace_still_means_the_same() {
    let bytes = std::fs::read(storm()).expect("it is shipped");
    let reader = Reader::open(&bytes[..]).expect("a trace");
    let kept = reader.head().and_then(|head| head.get("schema")).expect("a schema").to_owned();
    let today = Event::schema();
    for line in kept.lines() {
        let mut start = line.splitn(3, ' ');
        let (number, name) = (start.next().expect("a number"), start.next().expect("a name"));
        let same = today.lines().find(|it| it.starts_with(&format!("{number} {name}")));
        let same = same.unwrap_or_else(|| panic!("{number} {name} is gone"));
        let lost: Vec<_> = words(line).difference(&words(same)).copied().collect();
        assert!(lost.is_empty(), "{number} {name} has lost {lost:?}");
    }
    assert!(kept.lines().count() > 70);
}
