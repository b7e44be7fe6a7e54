//! Which rules the models have for which clause.
use std::collections::BTreeSet;

use models::clause::Clause;
use models::demands::{Demand, Kind, all};
use models::{m3_read, wg_mgr};

fn of(clause: Clause) -> BTreeSet<(Kind, &'static str)> {
    all().into_iter().filter(|it| it.clause == clause).map(|it| (it.kind, it.name)).collect()
}

/// Cites WG-DISCO-1: two systems and the machine judge the open budget, each by its own rule.
#[test]
fn the_open_budget_is_judged_by_properties_and_by_a_claim() {
    let expected = [
        (Kind::Property, "a box is opened"),
        (Kind::Property, "no more boxes are opened between two drains than a pass may open"),
        (Kind::Claim, "at most 4 boxes are opened in a pass"),
    ];
    assert_eq!(of(Clause::WgMgr(wg_mgr::Clause::Disco1)), BTreeSet::from(expected));
}

/// Cites ER-1: only the system whose clock stands still has this rule, and it counts as well.
#[test]
fn a_rule_that_one_system_alone_has_is_found() {
    let found = of(Clause::M3Read(m3_read::Clause::Er1));
    let still = (Kind::Property, "every request ends on a clock that stands still");
    assert!(
        found.contains(&still) && found.contains(&(Kind::Claim, "every wait ends")),
        "{found:?}"
    );
}

/// Arms and presets share their rules: a sentence stands for one clause and is counted once.
#[test]
fn no_rule_is_counted_twice() {
    let demands: Vec<Demand> = all().into_iter().collect();
    let names: BTreeSet<(Kind, &str)> = demands.iter().map(|it| (it.kind, it.name)).collect();
    assert_eq!(names.len(), demands.len());
    let clauses: BTreeSet<Clause> = demands.iter().map(|it| it.clause).collect();
    assert!(clauses.len() < demands.len());
}
