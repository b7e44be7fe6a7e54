//! A tiny crate in which every outcome occurs.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mutant_runner::catalogue::Catalogue;
use mutant_runner::outcome::{Kind, Outcome};
use mutant_runner::trial::{BaselineError, Subject, Workshop};
use tempfile::TempDir;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture")
}

fn subject(workspace: PathBuf, builds: &TempDir) -> Subject {
    Subject {
        workspace,
        package: "fixture".to_owned(),
        folder: ".".into(),
        sources: "src".into(),
        builds: builds.path().to_owned(),
        margin: Duration::from_secs(2),
    }
}

/// The name of each entry of the fixture's catalogue is the outcome that it must have.
#[test]
fn every_outcome_is_told_from_the_others() {
    let builds = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::read(&fixture().join("catalogue")).expect("a valid catalogue");
    let workshop = Workshop::open(subject(fixture(), &builds)).expect("the fixture is sound");
    assert!(workshop.limits().test >= Duration::from_secs(2));
    let mut outcomes = Vec::new();
    for mutant in &catalogue.mutants {
        let (outcome, _) = workshop.try_mutant(mutant).expect("the copy can be written");
        let named = mutant.id.split_once('/').expect("checked by the catalogue").1;
        assert_eq!(outcome.kind().name(), named, "{outcome:?}");
        outcomes.push(outcome);
    }
    workshop.close().expect("the copy can be removed");
    let kinds: Vec<_> = outcomes.iter().map(Outcome::kind).collect();
    assert_eq!(kinds, Kind::ALL);
    let details: Vec<_> = outcomes.iter().map(Outcome::detail).collect();
    assert_eq!(details[..2], ["the_larger_number_is_found"; 2]);
    assert_eq!(details[3], "the anchor matches 5 times");
    assert!(details[4].contains("mismatched types"), "{}", details[4]);
}

/// The fixture with one text of its source replaced, as the unchanged crate.
fn opened_with(anchor: &str, replace: &str) -> Result<Workshop, BaselineError> {
    let (folder, builds) = (tempfile::tempdir(), tempfile::tempdir().expect("a folder"));
    let folder = folder.expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("writable");
    for name in ["Cargo.toml", "Cargo.lock", "src/lib.rs"] {
        let text = fs::read_to_string(fixture().join(name)).expect("a file of the fixture");
        fs::write(folder.path().join(name), text.replace(anchor, replace)).expect("writable");
    }
    Workshop::open(subject(folder.path().to_owned(), &builds))
}

#[test]
fn a_crate_that_fails_unchanged_is_not_judged() {
    let error = opened_with("a > b", "a < b").expect_err("a test fails");
    assert!(
        matches!(&error, BaselineError::Tests(tests) if tests == &["the_larger_number_is_found"])
    );
    let error = opened_with("a > b", "a >").expect_err("it does not compile");
    assert!(matches!(error, BaselineError::Build(_)), "{error}");
    let error = opened_with("a > b", "std::process::abort()").expect_err("the tests abort");
    assert!(matches!(error, BaselineError::Endless), "{error}");
}
