//! The examples of `run --help`, typed in the project's root: they name shipped scenarios.
use crate::help::{examples, type_it};

#[test]
fn every_example_of_run_is_carried_out() {
    for example in examples("run") {
        let ended = type_it(&example);
        assert!(matches!(ended.code, Some(0 | 1)), "{example:?}: {ended:#?}");
        assert!(ended.stdout.contains("digest"), "{example:?}");
    }
}
