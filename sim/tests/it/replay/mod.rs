//! Recorded runs replay; what was changed is found at its step and named.
mod any_trace;
mod device;
mod explained;
mod recorded;
mod verdicts;
mod what_ifs;

use std::path::Path;

use sim::pft::{Reader, Redactor};
use sim::record::Recorded;
use sim::replay::{Asked, Outcome, Setup, compare};
use sim::report::Report;
use sim::scenario::{Overrides, Subject};

use crate::shipped::scenarios;

/// Loads a scenario with these edits.
fn load(path: &Path, set: &[&str]) -> Subject {
    let set = set.iter().map(|edit| (*edit).to_owned()).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    Subject::load(path, &overrides).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a scenario and records it.
fn record(subject: &Subject, redactor: Redactor) -> (Vec<u8>, Report, Recorded) {
    let mut trace = Vec::new();
    let (report, recorded) =
        sim::run_recorded(subject, Box::new(&mut trace), redactor, &mut |_| sim::Flow::Continue)
            .expect("a valid scenario runs");
    (trace, report, recorded)
}

/// Replays a trace in memory.
fn replay(trace: &[u8], set: &[&str]) -> Outcome {
    let mut reader = Reader::open(trace).expect("a trace");
    let head = reader.head().expect("a head").clone();
    let set = set.iter().map(|edit| (*edit).to_owned()).collect();
    let asked = Asked { overrides: Overrides { set, ..Overrides::default() }, ..Asked::default() };
    let setup =
        Setup::of(&head, Path::new("trace.pft"), &asked).unwrap_or_else(|error| panic!("{error}"));
    let mut player = setup.player().unwrap_or_else(|error| panic!("{error}"));
    compare(&mut reader, player.as_mut(), u64::MAX).unwrap_or_else(|error| panic!("{error}"))
}
