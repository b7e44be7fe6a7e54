//! The pitfall register: complete, tied to the clauses in both directions, answerable by id.
use std::collections::BTreeSet;

use models::clause::Clause;
use models::page::PAGE_COLUMNS;
use models::pitfall::{Pitfall, Standing};
use models::{m3_read, wg_mgr};

fn number(pitfall: &Pitfall) -> u32 {
    let digits = pitfall.id.split_once('-').expect("ids have a dash").1;
    digits.parse().expect("ids end with a number")
}

#[test]
fn the_manager_loop_has_83_pitfalls_and_the_read_path_32() {
    assert_eq!(wg_mgr::PITFALLS.into_iter().flatten().count(), 83);
    assert_eq!(m3_read::PITFALLS.len(), 32);
    assert_eq!(Pitfall::all().count(), 83 + 32);
}

#[test]
fn pitfalls_come_by_number_and_once_each() {
    let wg_mgr: Vec<_> = wg_mgr::PITFALLS.into_iter().flatten().map(number).collect();
    assert!(wg_mgr.is_sorted_by(|earlier, later| earlier < later));
    let m3_read: Vec<_> = m3_read::PITFALLS.iter().map(number).collect();
    assert_eq!(m3_read, (1..=32).collect::<Vec<_>>());
}

#[test]
fn a_defect_of_a_clause_is_a_latent_pitfall_that_names_the_clause() {
    for clause in Clause::all() {
        for defect in clause.entry().defects {
            let pitfall = Pitfall::find(defect.pitfall).expect("defects name pitfalls");
            assert_eq!(pitfall.standing, Standing::Latent, "{clause}: {}", pitfall.id);
            assert!(pitfall.clauses.contains(&clause), "{clause}: {}", pitfall.id);
        }
    }
}

#[test]
fn a_latent_pitfall_is_a_defect_of_every_clause_it_names() {
    for pitfall in Pitfall::all().filter(|pitfall| pitfall.standing == Standing::Latent) {
        for clause in pitfall.clauses {
            let defects = clause.entry().defects;
            assert!(defects.iter().any(|defect| defect.pitfall == pitfall.id), "{}", pitfall.id);
        }
    }
}

#[test]
fn every_pitfall_is_found_by_its_id_however_it_is_typed() {
    for pitfall in Pitfall::all() {
        assert_eq!(Pitfall::find(pitfall.id), Ok(pitfall));
        assert_eq!(Pitfall::find(&format!(" {}", pitfall.id.to_lowercase())), Ok(pitfall));
    }
}

#[test]
fn an_unknown_pitfall_is_answered_with_the_nearest() {
    let error = Pitfall::find("PF-5").expect_err("ids have two digits");
    assert_eq!(error.to_string(), "there is no pitfall `PF-5`; the nearest is `PF-05`");
}

#[test]
fn the_page_of_a_pitfall_says_whether_it_is_over_and_where_to_read_on() {
    let repaired = Pitfall::find("PF-05").expect("it is in the register").to_string();
    assert!(repaired.starts_with("PF-05  (repaired or avoided in the newest version)\n\nThe "));
    assert!(repaired.ends_with("\n\nclauses   WG-NVS-1"));
    let outside = Pitfall::find("PF-105").expect("it is in the register").to_string();
    assert!(outside.starts_with("PF-105  (latent in the newest version)\n\nThe "));
    assert!(!outside.contains("clauses "));
}

#[test]
fn every_page_of_a_pitfall_is_plain_and_fits_its_columns() {
    let mut sentences = BTreeSet::new();
    for pitfall in Pitfall::all() {
        assert!(pitfall.sentence.is_ascii() && pitfall.sentence.ends_with('.'), "{}", pitfall.id);
        assert!(!pitfall.sentence.contains(". "), "{} has more than one sentence", pitfall.id);
        assert!(sentences.insert(pitfall.sentence), "{} repeats another", pitfall.id);
        assert!(pitfall.to_string().lines().all(|line| line.len() <= PAGE_COLUMNS));
    }
}
