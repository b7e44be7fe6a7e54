//! A tiny crate in which every outcome occurs.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mutant_runner::alone;
use mutant_runner::baseline::BaselineError;
use mutant_runner::catalogue::{Catalogue, CatalogueError};
use mutant_runner::command::{self, Arguments, CommandError};
use mutant_runner::gather::{self, GatherError};
use mutant_runner::mutant::Mutant;
use mutant_runner::outcome::{Kind, Outcome};
use mutant_runner::report::{self, Exit};
use mutant_runner::run::{self, Manner, Run, Verdict};
use mutant_runner::subject::Subject;
use mutant_runner::{json, matrix};
use tempfile::TempDir;

use crate::{here, single};

fn fixture() -> PathBuf {
    here().join("tests/fixture")
}

const MATRIX: Manner = Manner { matrix: true, long_from: u64::MAX, only: None };

fn quiet(_: &Mutant, _: &Verdict) {}

fn written(subject: &Subject) -> Vec<Mutant> {
    let catalogue = Catalogue::read(&fixture().join("catalogue")).expect("a valid catalogue");
    gather::written(subject, &catalogue).expect("it fits the source")
}

fn kind_of(run: &Run, id: &str) -> Kind {
    let verdict = run.verdicts.iter().find(|it| run.mutants[it.mutant].id == id);
    verdict.expect("it was tried").outcome.kind()
}

/// The name of each entry of the fixture's catalogue is the outcome that it must have.
#[test]
fn every_outcome_is_told_from_the_others() {
    let place = tempfile::tempdir().expect("a folder");
    let subject = single(fixture(), place.path());
    let run = run::run(&subject, written(&subject), MATRIX, &quiet).expect("the fixture is sound");
    let mut kinds = BTreeSet::new();
    for verdict in &run.verdicts {
        let mutant = &run.mutants[verdict.mutant];
        let kind = verdict.outcome.kind();
        let name = mutant.id.split_once('/').expect("checked by the catalogue").1;
        assert_eq!(kind.name(), name, "{}", report::line(mutant, verdict));
        assert_eq!(verdict.alone, ["F-3/killed", "F-1/unviable"].contains(&mutant.id.as_str()));
        kinds.insert(kind);
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), {
        let mut all = Kind::ALL.to_vec();
        all.sort();
        all
    });
    let outcome = |id: &str| {
        let found = run.verdicts.iter().find(|it| run.mutants[it.mutant].id == id);
        &found.expect("it was tried").outcome
    };
    let by = |id: &str| outcome(id).tests().to_vec();
    assert_eq!(by("F-1/killed"), ["the_larger_number_is_found"]);
    assert_eq!(by("F-2/collateral"), ["the_larger_number_is_found"]);
    assert_eq!(by("F-2/timed out"), ["as_many_steps_as_the_number_says"]);
    assert_eq!(outcome("F-2/survived"), &Outcome::Survived { reached_by: 1, not_asked: 0 });
    assert_eq!(outcome("F-1/not applied"), &Outcome::NotApplied { matches: 6 });
    assert!(
        matches!(outcome("F-1/unviable"), Outcome::Unviable { error } if error == "mismatched types")
    );
    assert_eq!(Exit::of(&run), Exit::Gate);
    renderings_agree(&run, &subject);
    long_tests_find_the_same(&run, &subject);
    real_rebuilds_agree(&run, &subject);
}

/// The matrix has a row for each mutant; the JSON has the schema's word for each outcome.
fn renderings_agree(run: &Run, subject: &Subject) {
    let text = matrix::render(run);
    let row = |id: &str| {
        let line = text.lines().find(|line| line.starts_with(id)).expect("a row");
        line.split_once('|').expect("cells").1.trim_end_matches('|').to_owned()
    };
    // Columns: the row's test, the steps', the larger number's. A larger number that is too small is
    // no bound for steps either.
    assert_eq!(row("F-1/killed"), " KK", "{text}");
    assert_eq!(row("F-2/timed out"), " T ", "{text}");
    let report = json::judged(run, &subject.workspace);
    let mutants = report["files"]["src/lib.rs"]["mutants"].as_array().expect("a list");
    let status = |id: &str| {
        mutants.iter().find(|it| it["id"] == id).expect("it is listed")["status"].clone()
    };
    for (id, word) in [
        ("F-1/killed", "Killed"),
        ("F-2/survived", "Survived"),
        ("F-1/unviable", "CompileError"),
        ("F-2/crashed", "RuntimeError"),
        ("F-2/timed out", "Timeout"),
        ("F-1/equivalent", "Ignored"),
    ] {
        assert_eq!(status(id), word, "{id}");
    }
    let summary = report::summary(run);
    assert!(summary.starts_with("clause "), "{summary}");
    assert!(summary.contains("10 mutants, 3 tests, 0 of them long"), "{summary}");
}

/// The same verdicts when every test is long, and so is looked at only when it is needed.
fn long_tests_find_the_same(run: &Run, subject: &Subject) {
    let manner = Manner { long_from: 1, ..Manner::default() };
    let long = run::run(subject, written(subject), manner, &quiet).expect("the fixture is sound");
    assert_eq!((long.tests.len(), long.long), (3, 3));
    for verdict in &long.verdicts {
        let id = &long.mutants[verdict.mutant].id;
        assert_eq!(verdict.outcome.kind(), kind_of(run, id), "{id}");
    }
}

/// What one test alone notices: the mutants that it kills, and no more.
#[test]
fn only_the_tests_that_are_named_are_asked() {
    let place = tempfile::tempdir().expect("a folder");
    let subject = single(fixture(), place.path());
    let only = Some("the_larger_number".to_owned());
    let manner = Manner { only, ..Manner::default() };
    let run = run::run(&subject, written(&subject), manner, &quiet).expect("the test passes");
    assert_eq!(run.tests.len(), 1);
    assert_eq!(kind_of(&run, "F-1/killed"), Kind::Killed);
    assert_eq!(kind_of(&run, "F-2/timed out"), Kind::Survived);
    let only = Some("no such test".to_owned());
    let manner = Manner { only, ..Manner::default() };
    let error = run::run(&subject, written(&subject), manner, &quiet).expect_err("none is left");
    assert!(matches!(error, BaselineError::NoTest));
}

/// The same verdicts from a build for each mutant, without switch or steps; the one that hangs is
/// left out, because only real time would end it.
fn real_rebuilds_agree(woven: &Run, subject: &Subject) {
    let chosen = written(subject).into_iter().filter(|it| it.id != "F-2/timed out").collect();
    let rebuilt = alone::rebuild(subject, chosen, &quiet).expect("the fixture is sound");
    for verdict in &rebuilt.verdicts {
        let id = &rebuilt.mutants[verdict.mutant].id;
        assert_eq!(verdict.outcome.kind(), kind_of(woven, id), "{id}");
    }
}

/// A mutant that hangs is ended by its steps, a thousand times sooner than by real time.
#[test]
fn generated_mutants_are_judged_too_and_close_no_gate() {
    let place = tempfile::tempdir().expect("a folder");
    let subject = single(fixture(), place.path());
    let mutants = gather::generated(&subject);
    let ids: Vec<&str> = mutants.iter().map(|mutant| mutant.id.as_str()).collect();
    assert!(ids.contains(&"fixture:lib:larger:boundary-1"), "{ids:?}");
    let run = run::run(&subject, mutants, Manner::default(), &quiet).expect("the fixture is sound");
    assert_eq!(kind_of(&run, "fixture:lib:steps:dropped-2"), Kind::TimedOut);
    // The file lists no clause, so whatever notices is collateral.
    assert_eq!(kind_of(&run, "fixture:lib:larger:comparison-1"), Kind::Collateral);
    assert_eq!(kind_of(&run, "fixture:lib:larger:boundary-1"), Kind::Survived);
    assert!(run.verdicts.iter().all(|it| it.outcome.kind() != Kind::Unviable));
    assert_eq!(Exit::of(&run), Exit::Met);
    assert!(report::summary(&run).starts_with("generated"));
}

/// The fixture with one text of its source replaced, as the unchanged crate.
fn changed(anchor: &str, replace: &str) -> (TempDir, Subject) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("writable");
    for name in ["Cargo.toml", "Cargo.lock", "src/lib.rs"] {
        let text = fs::read_to_string(fixture().join(name)).expect("a file of the fixture");
        fs::write(folder.path().join(name), text.replacen(anchor, replace, 1)).expect("writable");
    }
    let subject = single(folder.path().to_owned(), &folder.path().join("target"));
    (folder, subject)
}

fn tried(subject: &Subject) -> CommandError {
    let ended = command::carry_out(&Arguments::default(), subject, &mut Vec::new());
    ended.expect_err("nothing is judged")
}

#[test]
fn a_crate_that_fails_unchanged_is_not_judged() {
    let (_folder, subject) = changed("{ a } else", "{ 0 } else");
    let error = tried(&subject);
    assert_eq!(error.exit(), Exit::Baseline);
    let CommandError::Baseline(BaselineError::Tests(tests)) = error else { panic!("{error}") };
    assert_eq!(
        tests,
        ["tests::the_larger_number_is_found", "tests::as_many_steps_as_the_number_says"]
            .map(str::to_owned)
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
    let (_folder, subject) = changed("{ a } else", "{ \"\" } else");
    let error = tried(&subject);
    assert_eq!(error.exit(), Exit::Baseline);
    assert!(matches!(error, CommandError::Baseline(BaselineError::Build(_))), "{error}");
}

#[test]
fn a_test_that_passes_once_and_fails_once_is_named_and_nothing_is_judged() {
    let call = "if std::fs::File::create_new(\"seen\").is_ok() { 0 } else { a } } else";
    let (_folder, subject) = changed("{ a } else", &format!("{{ {call}"));
    let error = tried(&subject);
    assert_eq!(error.exit(), Exit::Flaky);
    assert!(error.to_string().contains("passes on one run"), "{error}");
}

#[test]
fn an_entry_that_fits_nothing_is_refused_by_name() {
    let place = tempfile::tempdir().expect("a folder");
    let mut subject = single(fixture(), place.path());
    let mut catalogue = Catalogue::read(&fixture().join("catalogue")).expect("valid");
    subject.clauses.retain(|clause| clause != "F-3");
    let error = gather::written(&subject, &catalogue).expect_err("F-3 is unknown");
    assert!(matches!(&error, GatherError::UnknownClause { id, .. } if id == "F-3/killed"));
    assert!(error.to_string().contains("there is no clause `F-3`; the nearest is `F-1`"));
    subject.clauses.push("F-3".to_owned());
    catalogue.entries[0].file = "gone.rs".into();
    let error = gather::written(&subject, &catalogue).expect_err("no such file");
    assert!(error.to_string().contains("`F-1/killed` is about src/gone.rs"), "{error}");
    subject.parts[0].catalogue = "elsewhere".into();
    let error = gather::written(&subject, &catalogue).expect_err("no package");
    assert!(matches!(error, GatherError::NoPackage { .. }));
    let error = Catalogue::read(Path::new("no/such/folder")).expect_err("no folder");
    assert_eq!(CommandError::from(error).exit(), Exit::Usage);
    let twice = CatalogueError::Twice { id: "x".into(), first: "a".into(), second: "b".into() };
    assert_eq!(CommandError::from(twice).exit(), Exit::Usage);
}
