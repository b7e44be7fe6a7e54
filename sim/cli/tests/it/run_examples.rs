//! The examples of `run --help` and `compare --help`, typed in the project's root: they name
//! shipped scenarios.
use crate::help::{examples, type_it};

#[test]
fn every_example_of_run_is_carried_out() {
    for example in examples("run") {
        let ended = type_it(&example);
        assert!(matches!(ended.code, Some(0 | 1)), "{example:?}: {ended:#?}");
        assert!(ended.stdout.contains("digest"), "{example:?}");
    }
}

/// On the large page the published runs cannot tell arm 2 from arm 1, and they confirm what fences
/// cost. On the small page they have arm 2 faster by 0.44 s, which nothing in the model explains.
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
    assert_eq!(codes, [Some(7), Some(0), Some(1)]);
}
