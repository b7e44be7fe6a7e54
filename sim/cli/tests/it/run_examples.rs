//! The examples of `run --help` and `compare --help`, typed in the project's root: they name shipped scenarios.
use crate::help::{examples, type_it};

#[test]
fn every_example_of_run_is_carried_out() {
    for example in examples("run") {
        let ended = type_it(&example);
        assert!(matches!(ended.code, Some(0 | 1)), "{example:?}: {ended:#?}");
        assert!(ended.stdout.contains("digest"), "{example:?}");
    }
}

/// The published arms cannot be told apart at five and eight runs; the first two are far apart.
#[test]
fn every_example_of_compare_is_carried_out() {
    let codes: Vec<_> = examples("compare")
        .iter()
        .map(|example| {
            let ended = type_it(example);
            assert!(ended.stdout.contains("verdict"), "{example:?}: {ended:#?}");
            ended.code
        })
        .collect();
    assert_eq!(codes, [Some(7), Some(0), Some(7)]);
}
