//! The shipped catalogue: anchors, clauses, killers, and the command line over it.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::str::FromStr;

use models::clause::Clause;
use mutant_runner::catalogue::Catalogue;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn core() -> PathBuf {
    here().join("../firmware-core")
}

fn shipped() -> Catalogue {
    Catalogue::read(&here().join("catalogue")).expect("the shipped catalogue is valid")
}

/// The names of the core's test functions, inline and in files of their own.
fn test_functions() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![core().join("src"), core().join("tests")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the core") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                let after = text.split("#[test]\n").skip(1);
                let functions = after.filter_map(|it| it.trim_start().strip_prefix("fn "));
                names.extend(functions.filter_map(|it| it.split('(').next()).map(str::to_owned));
            }
        }
    }
    names
}

#[test]
fn every_anchor_is_found_exactly_once_in_the_file_of_the_same_name() {
    for mutant in shipped().mutants {
        let path = core().join("src").join(&mutant.file);
        let source = fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!("{} is about {}: {error}", mutant.id, path.display());
        });
        assert!(mutant.apply(&source).is_ok(), "{}: {:?}", mutant.id, mutant.apply(&source));
    }
}

#[test]
fn every_clause_is_in_the_register_as_it_is_written_there() {
    for mutant in shipped().mutants {
        let clause = Clause::from_str(&mutant.clause).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(clause.id(), mutant.clause);
    }
}

#[test]
fn every_named_killer_is_a_test_of_the_core() {
    let tests = test_functions();
    assert!(tests.len() > 100, "only {} tests were found", tests.len());
    for mutant in shipped().mutants {
        for killer in &mutant.killers {
            assert!(tests.contains(killer), "{} names {killer}", mutant.id);
        }
    }
}

/// The clauses whose code is in the core.
const COVERED: [&str; 42] = [
    "WG-ORD-1",
    "WG-Q1",
    "WG-Q2",
    "WG-DISCO-1",
    "WG-DISCO-2",
    "WG-RESCUE-1",
    "WG-CACHE-1",
    "WG-ADD-1",
    "WG-ADD-2",
    "WG-ADD-3",
    "WG-REM-1",
    "WG-NVS-1",
    "WG-NVS-2",
    "WG-NVS-3",
    "WG-CMM-1",
    "WG-CMM-2",
    "WG-HB-1",
    "WG-HB-2",
    "WG-PING-1",
    "WG-PONG-1",
    "WG-PROBE-1",
    "WG-PROBE-2",
    "WG-ALLOW-1",
    "WG-RATE-1",
    "CAP-1",
    "WG-SHUT-1",
    "WG-DEDUP-1",
    "WG-REPLAY-1",
    "WG-LEASE-1",
    "WG-LEASE-2",
    "WG-FLAP-1",
    "WG-PATH-1",
    "WG-PATH-2",
    "WG-HS-1",
    "WG-HS-2",
    "WG-HS-3",
    "WG-HS-4",
    "WG-WAKE-1",
    "WG-DERP-1",
    "WG-REHOME-1",
    "CAP-2",
    "CAP-3",
];

#[test]
fn every_clause_that_the_core_implements_has_a_mutant() {
    let catalogue = shipped();
    for clause in COVERED {
        assert!(!catalogue.select(Some(clause), None).is_empty(), "{clause} has none");
    }
}

fn mutant_runner(flags: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_mutant-runner");
    Command::new(program).args(flags).output().expect("the program is built with its tests")
}

#[test]
fn listing_prints_one_line_a_mutant_and_tries_none() {
    let listed = |flags: &[&str]| {
        let output = mutant_runner(flags);
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(listed(&["--list"]).lines().count(), shipped().mutants.len());
    let of_clause = listed(&["--list", "--clause", "WG-DISCO-1"]);
    assert!(of_clause.lines().count() > 1);
    assert!(of_clause.lines().all(|line| line.starts_with("WG-DISCO-1/")));
    assert_eq!(listed(&["--list", "--id", "WG-DISCO-1/M1"]).lines().count(), 1);
}

#[test]
fn a_choice_of_nothing_is_refused() {
    let output = mutant_runner(&["--clause", "WG-DISCO-9"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).expect("text");
    assert_eq!(message, "mutant-runner: no mutant of the catalogue is meant\n");
}
