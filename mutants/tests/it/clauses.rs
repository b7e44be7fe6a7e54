//! The clause matrix: what it reads from a tree, and what one comment less changes in it.
use std::fs;

use models::clause::Clause;
use mutant_runner::catalogue::Catalogue;
use mutant_runner::clauses::{self, Row};
use mutant_runner::shipped;
use mutant_runner::subject::{Part, Subject};

use crate::{here, root};

/// A tree with code, a test and a scenario for WG-HB-1.
fn tree(comment: &str) -> (tempfile::TempDir, Subject) {
    let folder = tempfile::tempdir().expect("a folder");
    let test = format!("{comment}#[test]\nfn eight_a_tick() {{}}\n");
    let property = "Property { name: \"never more than eight\", clause: Clause::Hb1 }\n";
    for (name, text) in [
        ("core/src/timers.rs", "//! Timers.\n//!\n//! Clauses: WG-HB-1 and WG-HB-2.\n"),
        ("core/src/properties.rs", &format!("//! What holds.\n{property}")),
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

#[test]
fn each_column_is_read_from_the_tree() {
    let (_folder, subject) = tree("/// Cites WG-HB-1: the cap.\n");
    let rows = rows(&subject);
    let row = of(&rows, "WG-HB-1");
    assert_eq!(row.code.len(), 1);
    assert_eq!(row.tests.iter().map(|it| it.test.as_str()).collect::<Vec<_>>(), ["eight_a_tick"]);
    assert_eq!(row.properties, ["never more than eight"]);
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
    let changed: Vec<&str> = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after)
        .map(|(before, _)| before.clause.id())
        .collect();
    assert_eq!(changed, ["WG-HB-1"]);
    let expected = Row { tests: vec![], ..of(&before, "WG-HB-1").clone() };
    assert_eq!(of(&after, "WG-HB-1"), &expected);
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
