//! The clause matrix: what it reads from a tree, and what one comment less changes in it, before a
//! run and after one.
use std::collections::BTreeSet;
use std::fs;

use models::clause::Clause;
use mutant_runner::catalogue::Catalogue;
use mutant_runner::clauses::{self, Gap, Row};
use mutant_runner::outcome::Kind;
use mutant_runner::run::{self, Manner};
use mutant_runner::subject::{Part, Subject};
use mutant_runner::{gather, shipped};

use crate::{here, root, single};

/// A crate of two functions and three tests; the tests named here do not say what they cite.
fn crate_without(silent: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let test = |name: &str, clause: &str, check: &str| {
        let word = if silent.contains(&name) { "About" } else { "Cites" };
        format!("    /// {word} {clause}.\n    #[test]\n    fn {name}() {{\n{check}\n    }}\n")
    };
    let tests = [
        test("no_more_than_eight", "WG-HB-1", "        assert_eq!(super::cap(20), 8);"),
        test("fewer_are_all_served", "WG-HB-1", "        assert_eq!(super::cap(3), 3);"),
        test("two_each", "WG-Q1", "        assert_eq!(super::packets(3), 6);"),
    ];
    let code = "//! Clauses: WG-HB-1 and WG-Q1.\n\n\
        /// At most eight.\npub fn cap(due: u32) -> u32 {\n    due.min(8)\n}\n\n\
        /// Two for each.\npub fn packets(of: u32) -> u32 {\n    of * 2\n}\n\n";
    let text = format!("{code}#[cfg(test)]\nmod tests {{\n{}}}\n", tests.concat());
    let manifest = "[package]\nname = \"fixture\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
        [workspace]\n";
    let entry = |id: &str, clause: &str, anchor: &str, replace: &str, killer: &str| {
        format!(
            "(id: \"{id}\", clause: \"{clause}\", what: \"It is wrong.\", anchor: \"{anchor}\", \
            replace: \"{replace}\", killers: [\"{killer}\"]),\n"
        )
    };
    let catalogue = [
        entry("WG-HB-1/nine", "WG-HB-1", "due.min(8)", "due.min(9)", "no_more_than_eight"),
        entry("WG-HB-1/four", "WG-HB-1", "due.min(8)", "due.clamp(4, 8)", "fewer_are_all_served"),
        entry("WG-Q1/three", "WG-Q1", "of * 2", "of * 3", "two_each"),
    ];
    for (name, text) in [
        ("Cargo.toml", manifest),
        ("src/lib.rs", &text),
        ("catalogue/lib.ron", &format!("[\n{}]\n", catalogue.concat())),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }
    folder
}

/// The matrix of that crate after all its mutants were tried, and the clauses that are not covered.
fn tried_without(silent: &[&str]) -> (Vec<Row>, Vec<Gap>) {
    let folder = crate_without(silent);
    let clauses = Clause::all().map(|clause| clause.id().to_owned()).collect();
    let place = folder.path().join("target");
    let subject = Subject { clauses, ..single(folder.path().to_owned(), &place) };
    let catalogue = Catalogue::read(&folder.path().join("catalogue")).expect("a valid catalogue");
    let mutants = gather::written(&subject, &catalogue).expect("it fits the source");
    let run =
        run::run(&subject, mutants, Manner::default(), &|_, _| {}).expect("the crate is sound");
    let rows = clauses::rows(&subject, &catalogue, Some(&run)).expect("the tree can be read");
    let gaps = clauses::gaps(&rows, &run);
    (rows, gaps)
}

/// A tree with code, a test and a scenario for WG-HB-1.
fn tree(comment: &str) -> (tempfile::TempDir, Subject) {
    let folder = tempfile::tempdir().expect("a folder");
    let test = format!("{comment}#[test]\nfn eight_a_tick() {{}}\n");
    for (name, text) in [
        ("core/src/timers.rs", "//! Timers.\n//!\n//! Clauses: WG-HB-1 and WG-HB-2.\n"),
        ("core/tests/it/timers.rs", &format!("//! Tests.\n{test}")),
        ("scenarios/a.ron", "(expect: [(metric: \"x\", cites: \"WG-HB-1, case 08\")])"),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }
    let subject = Subject {
        workspace: folder.path().to_owned(),
        parts: vec![Part {
            package: "core".to_owned(),
            folder: "core".into(),
            catalogue: "".into(),
            integration: true,
            generated: vec![],
        }],
        ..shipped::cores(folder.path())
    };
    (folder, subject)
}

fn rows(subject: &Subject) -> Vec<Row> {
    clauses::rows(subject, &Catalogue { entries: vec![] }, None).expect("the tree can be read")
}

fn of<'r>(rows: &'r [Row], id: &str) -> &'r Row {
    rows.iter().find(|row| row.clause.id() == id).expect("a clause of the register")
}

/// The clauses whose rows differ.
fn changed(before: &[Row], after: &[Row]) -> Vec<&'static str> {
    let pairs = before.iter().zip(after);
    pairs.filter(|(before, after)| before != after).map(|(row, _)| row.clause.id()).collect()
}

#[test]
fn each_column_is_read_from_the_tree() {
    let (_folder, subject) = tree("/// Cites WG-HB-1: the cap.\n");
    let rows = rows(&subject);
    let row = of(&rows, "WG-HB-1");
    assert_eq!(row.code.len(), 1);
    assert_eq!(row.tests.iter().map(|it| it.test.as_str()).collect::<Vec<_>>(), ["eight_a_tick"]);
    assert_eq!(row.scenarios.len(), 1);
    let page = clauses::page(row);
    assert!(page.contains("eight_a_tick  core/tests/it/timers.rs:4"), "{page}");
    assert!(page.contains("mutants   none"), "{page}");
    assert_eq!(rows.len(), Clause::all().count());
    assert_eq!(clauses::render(&rows).lines().count(), rows.len() + 1);
}

/// One citing comment less flips the cells of its clause in the column of tests and no other.
#[test]
fn a_comment_less_flips_exactly_the_predicted_cells() {
    let (_before, with) = tree("/// Cites WG-HB-1: the cap.\n");
    let (_after, without) = tree("");
    let (before, after) = (rows(&with), rows(&without));
    assert_eq!(changed(&before, &after), ["WG-HB-1"]);
    let expected = Row { tests: vec![], ..of(&before, "WG-HB-1").clone() };
    assert_eq!(of(&after, "WG-HB-1"), &expected);
}

/// Each citing comment less turns the kills of that test, and of no other, into collateral ones; the
/// clause is open when its last kill is gone, and the gate then names the test that would close it.
#[test]
fn a_citing_test_less_flips_exactly_the_predicted_cells_of_a_run() {
    let (all, gaps_of_all) = tried_without(&[]);
    let kinds = |rows: &[Row]| of(rows, "WG-HB-1").mutants.clone();
    let outcomes = |nine, four| {
        [("WG-HB-1/nine", nine), ("WG-HB-1/four", four)]
            .map(|(id, kind)| (id.to_owned(), Some(kind)))
    };
    assert_eq!(kinds(&all), outcomes(Kind::Killed, Kind::Killed));
    assert!(open(&gaps_of_all).iter().all(|id| !["WG-HB-1", "WG-Q1"].contains(id)));

    let (one_less, gaps_of_one_less) = tried_without(&["no_more_than_eight"]);
    let left = of(&all, "WG-HB-1").tests[1].clone();
    let expected = Row {
        tests: vec![left],
        mutants: outcomes(Kind::Collateral, Kind::Killed).to_vec(),
        ..of(&all, "WG-HB-1").clone()
    };
    assert_eq!(of(&one_less, "WG-HB-1"), &expected);
    assert!(expected.is_covered());
    assert_eq!(changed(&all, &one_less), ["WG-HB-1"]);
    assert_eq!(open(&gaps_of_one_less), open(&gaps_of_all));

    let (none, gaps_of_none) = tried_without(&["no_more_than_eight", "fewer_are_all_served"]);
    let expected = Row {
        tests: vec![],
        mutants: outcomes(Kind::Collateral, Kind::Collateral).to_vec(),
        ..of(&all, "WG-HB-1").clone()
    };
    assert_eq!(of(&none, "WG-HB-1"), &expected);
    assert_eq!(changed(&all, &none), ["WG-HB-1"]);
    let new = open(&gaps_of_none);
    let new: Vec<&str> = new.difference(&open(&gaps_of_all)).copied().collect();
    assert_eq!((new, gaps_of_none.len()), (vec!["WG-HB-1"], gaps_of_all.len() + 1));
    let gap = gaps_of_none.iter().find(|gap| gap.clause.id() == "WG-HB-1").expect("the new one");
    assert_eq!(gap.missing, "it has mutants, and no test cites it");
    let why = "it kills a mutant of the clause and does not cite it";
    assert_eq!(gap.nearest, Some(("no_more_than_eight".to_owned(), why)));
}

fn open(gaps: &[Gap]) -> BTreeSet<&'static str> {
    gaps.iter().map(|gap| gap.clause.id()).collect()
}

/// A property counts for the clause that its value names, whatever the text around it looks like.
#[test]
fn properties_are_those_that_the_models_have() {
    let (_folder, subject) = tree("");
    let rows = rows(&subject);
    let demands = models::demands::all();
    assert_eq!(rows.iter().map(|row| row.properties.len()).sum::<usize>(), demands.len());
    for demand in demands {
        let row = of(&rows, demand.clause.id());
        assert!(row.properties.iter().any(|name| name == demand.name), "{}", demand.name);
    }
    let of_ids = |id| &of(&rows, id).properties;
    assert!(of_ids("ER-5").iter().any(|name| name == "nothing is accepted over a hole"));
    assert!(of_ids("WG-FLAP-1").is_empty());
}

#[test]
fn the_shipped_tree_has_code_and_tests_for_the_open_budget() {
    let subject = shipped::cores(&root());
    let catalogue = Catalogue::read(&here().join("catalogue")).expect("valid");
    let rows = clauses::rows(&subject, &catalogue, None).expect("the tree can be read");
    let row = of(&rows, "WG-DISCO-1");
    assert!(row.is_must() && !row.is_covered(), "covered only by what a run has killed");
    assert!(row.code.iter().any(|path| path.ends_with("wg_mgr/disco.rs")));
    assert!(row.tests.len() > 2 && row.mutants.len() > 2 && !row.scenarios.is_empty());
    let json = clauses::to_json(&rows, None);
    assert_eq!(json["clauses"].as_array().map(Vec::len), Some(rows.len()));
    assert!(json["gaps"].is_null());
}
