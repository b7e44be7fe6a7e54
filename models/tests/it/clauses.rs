//! The clause register: complete, unambiguous, answerable by id, and readable as pages.
use std::collections::BTreeSet;

use models::clause::{Clause, Effect, Entry, Level};
use models::page::PAGE_COLUMNS;
use models::wg_mgr::CROSS_EDGES;
use models::{m3_read, wg_mgr};

/// Clauses of the READ path for which the sources list no mutant.
const WITHOUT_MUTATION: [&str; 8] = [
    "S 0",
    "S 1.1 tail grammar",
    "S 1.1 ABORT",
    "S 1.1 others",
    "S 4.3",
    "ER-1 Clock",
    "ER-16",
    "ER-22",
];

fn entries() -> impl Iterator<Item = &'static Entry> {
    Clause::all().map(Clause::entry)
}

fn wg_mgr_entries() -> impl Iterator<Item = &'static Entry> {
    wg_mgr::Clause::ALL.iter().map(|clause| clause.entry())
}

fn m3_read_entries() -> impl Iterator<Item = &'static Entry> {
    m3_read::Clause::ALL.iter().map(|clause| clause.entry())
}

#[track_caller]
fn entry(id: &str) -> &'static Entry {
    id.parse::<Clause>().expect("the test names a clause").entry()
}

#[track_caller]
fn assert_nearest(wanted: &str, nearest: &str) {
    let error = wanted.parse::<Clause>().expect_err("the test names no clause");
    assert_eq!((error.wanted.as_str(), error.nearest), (wanted, nearest));
}

#[test]
fn the_manager_loop_has_44_clauses_and_171_mutations() {
    assert_eq!(wg_mgr::Clause::ALL.len(), 44);
    assert_eq!(wg_mgr_entries().map(|entry| entry.mutations.len()).sum::<usize>(), 171);
}

#[test]
fn the_read_path_has_33_clauses_and_66_mutations() {
    assert_eq!(m3_read::Clause::ALL.len(), 33);
    assert_eq!(m3_read_entries().map(|entry| entry.mutations.len()).sum::<usize>(), 66);
}

#[test]
fn clauses_come_in_the_order_of_their_specifications_the_manager_loop_first() {
    let ids: Vec<_> = Clause::all().map(Clause::id).collect();
    assert_eq!(ids[..4], ["WG-ORD-1", "WG-Q1", "WG-Q2", "WG-DISCO-1"]);
    assert_eq!(ids[42..46], ["WG-SHUT-1", "WG-RATE-1", "S:2012-2013", "S 0"]);
    assert_eq!(ids[75..], ["v1.3 (coming)", "client rules"]);
}

#[test]
fn ids_are_unique_even_without_letter_case() {
    let ids: BTreeSet<_> = entries().map(|entry| entry.id.to_lowercase()).collect();
    assert_eq!(ids.len(), 77);
}

#[test]
fn every_id_leads_back_to_its_clause_however_it_is_typed() {
    for clause in Clause::all() {
        assert_eq!(clause.id().parse(), Ok(clause));
        assert_eq!(format!(" {} ", clause.id().to_lowercase()).parse(), Ok(clause));
        assert_eq!(clause.to_string(), clause.id());
    }
}

#[test]
fn an_unknown_id_is_answered_with_the_nearest() {
    assert_nearest("WG-DISCO-9", "WG-DISCO-1");
    assert_nearest("wg-rescu-1", "WG-RESCUE-1");
    assert_nearest("CAP4", "CAP-4");
    assert_nearest("S 1.6 M1", "S 1.6 M10");
    assert_nearest("er1 clock", "ER-1 Clock");
    let error = "WG-DISCO-9".parse::<Clause>().expect_err("there is no ninth");
    assert_eq!(error.to_string(), "there is no clause `WG-DISCO-9`; the nearest is `WG-DISCO-1`");
}

#[test]
fn every_entry_says_in_one_sentence_what_must_hold_and_how_one_sees_it() {
    for entry in entries() {
        assert!(entry.sentence.ends_with('.'), "{}", entry.id);
        assert!(!entry.sentence.contains(". "), "{} has more than one sentence", entry.id);
        assert!(entry.observable.ends_with('.'), "{}", entry.id);
        assert!(!entry.title.is_empty() && !entry.source.is_empty(), "{}", entry.id);
    }
}

#[test]
fn all_texts_are_plain_ascii_without_blanks_left_over_from_wrapping() {
    for entry in entries() {
        let mutations = entry.mutations.iter().map(|mutation| mutation.change);
        let defects = entry.defects.iter().map(|defect| defect.sentence);
        let lists = entry.details.iter().chain(entry.edges).copied();
        let texts = lists.chain(mutations).chain(defects);
        for text in texts.chain([entry.sentence, entry.observable, entry.title, entry.source]) {
            assert!(text.is_ascii() && !text.is_empty(), "{}: {text}", entry.id);
            assert!(!text.contains("  ") && text.trim() == text, "{}: {text}", entry.id);
        }
    }
}

#[test]
fn every_clause_has_a_mutation_but_the_eight_without_one_in_the_sources() {
    let without = entries().filter(|entry| entry.mutations.is_empty()).map(|entry| entry.id);
    assert_eq!(without.collect::<Vec<_>>(), WITHOUT_MUTATION);
}

#[test]
fn mutations_of_the_manager_loop_are_numbered_per_clause() {
    for entry in wg_mgr_entries() {
        for (mutation, number) in entry.mutations.iter().zip(1..) {
            assert_eq!(mutation.name, format!("M{number}"), "{}", entry.id);
        }
    }
}

#[test]
fn mutations_of_the_read_path_have_names_of_their_own() {
    let names = m3_read_entries().flat_map(|entry| entry.mutations).map(|mutation| mutation.name);
    assert_eq!(names.collect::<BTreeSet<_>>().len(), 66);
}

/// Each of these would correct the newest firmware, so only a faithful copy has to refuse it.
#[test]
fn mutations_that_repair_are_told_from_those_that_break() {
    let repairs = entries().flat_map(|entry| {
        let repairs = entry.mutations.iter().filter(|mutation| mutation.effect == Effect::Repairs);
        repairs.map(|mutation| (entry.id, mutation.name))
    });
    let expected = [
        ("WG-NVS-1", "M3"),
        ("WG-HB-2", "M1"),
        ("WG-LEASE-1", "M4"),
        ("WG-LEASE-2", "M3"),
        ("WG-HS-1", "M4"),
        ("WG-HS-2", "M3"),
        ("WG-HS-4", "M3"),
        ("WG-SHUT-1", "M2"),
    ];
    assert_eq!(repairs.collect::<Vec<_>>(), expected);
}

#[test]
fn only_what_is_announced_or_out_of_reach_is_a_should() {
    let should = entries().filter(|entry| entry.level == Level::Should).map(|entry| entry.id);
    assert_eq!(should.collect::<Vec<_>>(), ["WG-HB-2", "v1.3 (coming)"]);
}

#[test]
fn sixteen_edges_cut_across_the_clauses_and_each_names_whom_it_concerns() {
    assert_eq!(CROSS_EDGES.len(), 16);
    let edges: BTreeSet<_> = CROSS_EDGES.iter().map(|cross| cross.edge).collect();
    assert_eq!(edges.len(), 16);
    for cross in CROSS_EDGES {
        assert!(!cross.outcome.is_empty() && !cross.clauses.is_empty(), "{}", cross.edge);
    }
}

#[test]
fn every_page_fits_its_columns_and_a_screen() {
    for entry in entries() {
        let page = entry.to_string();
        assert!(page.starts_with(&format!("{}  ", entry.id)));
        assert!(page.lines().count() <= 40, "{} takes {}", entry.id, page.lines().count());
        for line in page.lines() {
            assert!(line.len() <= PAGE_COLUMNS && line.trim_end() == line, "{}: {line}", entry.id);
        }
    }
}

#[test]
fn a_page_marks_the_mutations_that_repair() {
    let page = entry("WG-SHUT-1").to_string();
    assert!(page.contains("M1  write the cache before the tasks have ended\n"));
    assert!(page.contains("M2  reset the resume index at start (a repair)\n"));
}

/// Cites WG-DISCO-1.
#[test]
fn the_page_of_the_open_budget_reads_like_this() {
    insta::with_settings!({ snapshot_path => ".", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("page_of_wg_disco_1", entry("WG-DISCO-1"));
    });
}
