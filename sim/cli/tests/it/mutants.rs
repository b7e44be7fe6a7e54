//! Clauses and mutants: the matrix, the list, and refusals. Trials are the runner's own tests.
use crate::help::{examples, type_it};
use crate::{Desk, root};

#[test]
fn the_matrix_has_a_row_for_each_clause() {
    let text = type_it(&["clauses".to_owned()]).ends_with(0).stdout;
    let row = text.lines().find(|line| line.starts_with("WG-DISCO-1 ")).expect("a row");
    assert!(row.contains("shall"), "{row}");
    assert!(text.lines().any(|line| line.starts_with("ER-5 ")), "{text}");
    let json = type_it(&["clauses", "--format", "json"].map(str::to_owned)).ends_with(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["clauses"][0]["clause"], "WG-ORD-1");
}

#[test]
fn a_clause_is_explained_with_what_the_tree_has_for_it() {
    let text = type_it(&["explain", "WG-DISCO-1"].map(str::to_owned)).ends_with(0).stdout;
    assert!(text.contains("four_unknown_keys_are_opened_per_pass_and_the_rest_stays_queued"));
    assert!(text.contains("firmware-core/src/wg_mgr/disco.rs"), "{text}");
    assert!(text.lines().any(|line| line.trim_start().ends_with("WG-DISCO-1/M1")), "{text}");
}

#[test]
fn mutants_are_listed_from_any_folder_of_the_tree() {
    let desk = Desk::with("");
    let mut command = desk.command(&["mutants", "--list", "--clause", "WG-DISCO-1"]);
    let output = command.current_dir(root().join("models/src")).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.lines().count() > 2 && text.starts_with("WG-DISCO-1/"), "{text}");
}

#[test]
fn the_examples_that_try_nothing_can_be_typed() {
    let listing = |example: &&Vec<String>| example.iter().any(|word| word == "--list");
    assert_eq!(examples("mutants").iter().filter(listing).count(), 1);
    assert_eq!(examples("clauses").len(), 3);
}

#[test]
fn an_unknown_clause_or_shard_is_refused_with_the_nearest() {
    let desk = Desk::with("");
    let parts = ["there is no clause `WG-DISKO-1`", "the nearest is `WG-DISCO-1`"];
    desk.run(&["mutants", "--clause", "WG-DISKO-1"]).refuses(&parts);
    desk.run(&["mutants", "--shard", "4/4"]).refuses(&["the first is 0, the last 3"]);
}
