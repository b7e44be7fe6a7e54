//! The shipped catalogue: all of it is tried, and the gate over it is asked.
use std::process::{Command, Output};

use models::clause::Clause;
use models::{m3_read, wg_mgr};
use mutant_runner::catalogue::Catalogue;
use mutant_runner::cites::Citation;
use mutant_runner::clauses;
use mutant_runner::gather;
use mutant_runner::report::{self, Exit};
use mutant_runner::run::{self, Manner};
use mutant_runner::shipped;
use mutant_runner::subject::Subject;

use crate::{here, root};

fn catalogue() -> Catalogue {
    Catalogue::read(&here().join("catalogue")).expect("the shipped catalogue is valid")
}

/// The whole mutation suite, with the clause gate: every entry is killed by a test that cites its
/// clause, or equivalent; and every clause that has to be covered and that the code names is.
#[test]
fn every_mutant_is_killed_by_a_test_that_cites_its_clause() {
    let subject = shipped::cores(&root());
    let catalogue = catalogue();
    let mutants = gather::written(&subject, &catalogue).expect("the catalogue fits the sources");
    let run =
        run::run(&subject, mutants, Manner::default(), &|_, _| {}).expect("the baseline is green");
    println!("{}", report::summary(&run));
    let open: Vec<String> = run
        .verdicts
        .iter()
        .filter(|verdict| !verdict.outcome.kind().is_settled())
        .map(|verdict| report::line(&run.mutants[verdict.mutant], verdict))
        .collect();
    assert_eq!(open, Vec::<String>::new(), "{}", open.join("\n"));
    assert_eq!(Exit::of(&run), Exit::Met);
    let alone: Vec<&str> = run
        .verdicts
        .iter()
        .filter(|verdict| verdict.alone)
        .map(|verdict| run.mutants[verdict.mutant].id.as_str())
        .collect();
    assert_eq!(alone, [""; 0], "one build serves all");

    let rows = clauses::rows(&subject, &catalogue, Some(&run)).expect("the tree can be read");
    let gaps = clauses::gaps(&rows, &run);
    assert!(gaps.is_empty(), "{}", clauses::render_gaps(&gaps));
}

#[test]
fn there_are_as_many_mutants_as_promised() {
    let entries = catalogue().entries;
    let reads = entries.iter().filter(|it| it.file.starts_with("m3_read")).count();
    assert!(entries.len() >= 300, "{}", entries.len());
    assert!(reads >= 77, "{reads}");
    let known: Vec<&str> = Clause::all().map(Clause::id).collect();
    assert!(entries.iter().all(|entry| known.contains(&entry.clause.as_str())));
}

/// Said before anything is built: an anchor that its source does not have once.
#[test]
fn every_anchor_is_found_once() {
    let mutants = gather::written(&shipped::cores(&root()), &catalogue()).expect("it fits");
    let astray = mutants.iter().filter(|it| it.change.is_err()).map(|it| it.id.as_str());
    assert_eq!(astray.collect::<Vec<_>>(), [""; 0]);
}

/// Every test that an entry names is one, and at least one of them cites its clause.
#[test]
fn every_named_killer_is_a_test_and_one_of_them_cites_the_clause() {
    let subject = shipped::cores(&root());
    let rows = clauses::rows(&subject, &catalogue(), None).expect("the tree can be read");
    let mut without = Vec::new();
    for entry in catalogue().entries.iter().filter(|entry| entry.equivalent.is_none()) {
        let row = rows.iter().find(|row| row.clause.id() == entry.clause).expect("a clause");
        let run =
            |it: &&Citation| subject.parts.iter().any(|part| it.file.starts_with(&part.folder));
        if !row.tests.iter().filter(run).any(|it| entry.killers.contains(&it.test)) {
            without.push(format!("{}: none of {:?}", entry.id, entry.killers));
        }
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
}

/// What answers the cores in whole runs, and its catalogue.
fn world() -> (Subject, Catalogue) {
    let subject = shipped::world(&root());
    let catalogue = Catalogue::read(&subject.catalogue);
    (subject, catalogue.expect("the catalogue of the world is valid"))
}

/// Faults of the RTOS, the TLS engine and the rest of the world: each anchor fits its source once, and
/// a test of the simulator that cites the clause is named for each.
#[test]
fn the_catalogue_of_the_world_fits_the_simulator() {
    let (subject, catalogue) = world();
    let mutants = gather::written(&subject, &catalogue).expect("it fits the simulator");
    let astray = mutants.iter().filter(|it| it.change.is_err()).map(|it| it.id.as_str());
    assert_eq!(astray.collect::<Vec<_>>(), [""; 0]);
    let rows = clauses::rows(&subject, &catalogue, None).expect("the tree can be read");
    for entry in &catalogue.entries {
        let row = rows.iter().find(|row| row.clause.id() == entry.clause).expect("a clause");
        let mine = |name: &String| {
            row.tests.iter().any(|it| it.test == *name && it.file.starts_with("sim"))
        };
        assert!(entry.killers.iter().all(mine), "{}: {:?}", entry.id, entry.killers);
    }
    for part in ["rtos", "read", "node", "world"] {
        let count = catalogue.entries.iter().filter(|it| it.file.starts_with(part)).count();
        assert!(count >= 6, "{part} has {count}");
    }
}

/// Every fault that the sources name for the READ path is in one of the two catalogues, by its name.
#[test]
fn each_mutant_that_the_sources_name_for_the_read_path_has_an_entry() {
    let entries = [catalogue().entries, world().1.entries].concat();
    let has = |name: &str| {
        entries.iter().any(|it| it.id.split_once('/').is_some_and(|(_, it)| it == name))
    };
    let named = m3_read::Clause::ALL.iter().flat_map(|clause| clause.entry().mutations);
    let named: Vec<&str> = named.map(|mutation| mutation.name).collect();
    assert_eq!(named.len(), 66);
    let missing: Vec<&&str> = named.iter().filter(|name| !has(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every clause of the manager loop that the cores or the world can break has two mutants at least.
#[test]
fn each_clause_of_the_manager_loop_has_two_mutants_at_least() {
    let entries = [catalogue().entries, world().1.entries].concat();
    for clause in wg_mgr::Clause::ALL {
        let id = clause.entry().id;
        let count = entries.iter().filter(|it| it.clause == id).count();
        assert!(count >= 2, "{id} has {count}");
    }
}

/// Timing: what is charged, in which order the queues are drained, when a timer is due.
#[test]
fn what_is_charged_and_in_which_order_is_drained_has_mutants() {
    let entries = catalogue().entries;
    let timing = |it: &&mutant_runner::catalogue::Entry| {
        let clause = ["WG-ORD-1", "WG-Q1", "WG-Q2", "WG-HB-1", "WG-HB-2"];
        it.anchor.contains("CostKey::") || clause.contains(&it.clause.as_str())
    };
    assert!(entries.iter().filter(timing).count() >= 30);
    assert!(entries.iter().filter(|it| it.anchor.contains("CostKey::")).count() >= 12);
}

fn mutant_runner(flags: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_mutant-runner");
    Command::new(program).args(flags).output().expect("the program is built with its tests")
}

fn listed(flags: &[&str]) -> String {
    let output = mutant_runner(&[&["--list"], flags].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn listing_prints_one_line_a_mutant_and_tries_none() {
    let all = catalogue().entries.len();
    assert_eq!(listed(&[]).lines().count(), all);
    let of_clause = listed(&["--clause", "WG-DISCO-1"]);
    assert!(of_clause.lines().count() > 1);
    assert!(of_clause.lines().all(|line| line.starts_with("WG-DISCO-1/")));
    assert_eq!(listed(&["--id", "WG-DISCO-1/M1"]).lines().count(), 1);
    assert!(listed(&["--generated"]).lines().count() > all);
}

#[test]
fn shards_cover_the_list_without_overlap() {
    let mut together: Vec<String> = ["0/3", "1/3", "2/3"]
        .iter()
        .flat_map(|shard| {
            listed(&["--shard", shard]).lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let mut all: Vec<String> = listed(&[]).lines().map(str::to_owned).collect();
    together.sort();
    all.sort();
    assert_eq!(together, all);
}

#[test]
fn a_list_in_json_has_every_mutant_with_its_place() {
    let json: serde_json::Value = serde_json::from_str(&listed(&["--json"])).expect("JSON");
    let files = json["files"].as_object().expect("files by name");
    let mutants = files.values().map(|file| file["mutants"].as_array().map_or(0, Vec::len));
    assert_eq!(mutants.sum::<usize>(), catalogue().entries.len());
    let file = &files["firmware-core/src/wg_mgr/disco.rs"];
    assert!(file["source"].as_str().expect("a text").starts_with("//! DISCO"));
    assert!(file["mutants"][0]["location"]["start"]["line"].as_u64() > Some(1));
}

#[test]
fn what_there_is_not_is_refused_with_what_there_is() {
    for (flags, said) in [
        (
            &["--clause", "WG-DISCO-9"][..],
            "there is no clause `WG-DISCO-9`; the nearest is `WG-DISCO-1`",
        ),
        (&["--id", "WG-DISCO-1/M99"], "no mutant is meant; --list shows them all"),
        (&["--shard", "3/3"], "there is no shard 3 of 3: the first is 0, the last 2"),
        (
            &["--in-diff", "no-such-revision"],
            "what has changed since `no-such-revision` is unknown",
        ),
    ] {
        let output = mutant_runner(flags);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).expect("text");
        assert!(message.starts_with(&format!("mutant-runner: {said}")), "{message}");
    }
}
