//! The closed system of the READ client: verdicts and pinned numbers of states.
use std::sync::Arc;

use firmware_core::m3_read::preset::Arm;
use models::checker::{Limits, Report, Verdict, check};
use models::m3_read::system::{Bounds, System};

use crate::once::Once;

/// Distinct states, transitions and depth.
type Size = (u32, u64, u32);

pub(crate) const WITHOUT_FAULTS: Bounds = Bounds { faults: 0, ..Bounds::ONE_READ };

/// A system, explored once for all tests that ask about it.
pub(crate) fn explored(arm: Arm, bounds: Bounds, threads: usize) -> Arc<(System, Report<System>)> {
    static EXPLORED: Once<(&str, String, usize), (System, Report<System>)> = Once::new();
    EXPLORED.get((arm.name(), format!("{bounds:?}"), threads), || {
        let model = System::new(arm, bounds).expect("the scaled configuration is accepted");
        let report =
            check(&model, Limits::NONE.threads(threads)).expect("the properties can be judged");
        (model, report)
    })
}

fn size(report: &Report<System>) -> Size {
    (report.states, report.transitions, report.depth)
}

/// Every property holds, and the number of states is the pinned one.
#[track_caller]
fn holds(arm: Arm, bounds: Bounds, threads: usize, pinned: Size) {
    let explored = explored(arm, bounds, threads);
    let (model, report) = &*explored;
    if let Some((found, path)) = report.violated() {
        panic!("{} ({}):\n{}", found.name, found.clause, path.render(model));
    }
    for found in &report.found {
        assert_eq!(found.verdict.name(), "holds", "{}", found.name);
    }
    assert_eq!((size(report), report.stopped), (pinned, None));
}

/// Cites ER-5, ER-7, ER-12, S 1.6, S 1.6 M10, ER-1, App. A and S:2012-2013.
#[test]
fn no_reply_makes_the_one_block_client_accept_a_hole_or_wait_for_ever() {
    for threads in [1, 2] {
        holds(Arm::One, WITHOUT_FAULTS, threads, (36_010, 49_194, 88));
    }
}

/// The same clauses, and ER-1 N-1.
#[test]
fn no_reply_makes_the_two_block_client_accept_a_hole_or_wait_for_ever() {
    for threads in [1, 2] {
        holds(Arm::Two, WITHOUT_FAULTS, threads, (79_167, 107_104, 126));
    }
}

#[test]
fn nor_does_a_lost_accept_or_a_reply_that_nobody_asked_for() {
    holds(Arm::One, Bounds::ONE_READ, 2, (132_257, 181_046, 106));
}

/// Arms F and 1 differ in their fences, which the bus does not see.
#[test]
fn the_fenced_client_goes_through_the_same_states() {
    let [fenced, unfenced] = [Arm::F, Arm::One].map(|arm| explored(arm, WITHOUT_FAULTS, 2));
    assert_eq!(size(&fenced.1), size(&unfenced.1));
}

#[test]
fn one_legal_reply_leads_to_the_next() {
    let bounds = Bounds { legal_only: true, faults: 0, ..Bounds::TWO_READS };
    for threads in [1, 2] {
        holds(Arm::Two, bounds, threads, (45_257, 60_325, 141));
    }
}

/// Cites ER-1: three waits of 10 227 polls each, two accesses a poll.
#[test]
fn every_wait_ends_even_before_a_clock_that_stands_still() {
    holds(Arm::Two, Bounds::STILL, 1, (81_842, 81_841, 40_922));
}

/// What no client on this bus can rule out, found and not excused: a block may vanish between the
/// sample that shows a byte and the read that fetches it, and a late interrupt lets the Nios wipe a
/// command that is being written.
#[test]
fn a_firmware_that_breaks_its_own_rules_breaks_four_of_ours() {
    let explored = explored(Arm::One, Bounds::HOSTILE, 2);
    let (_, report) = &*explored;
    let broken = report.found.iter().filter_map(|found| match &found.verdict {
        Verdict::Violated(path) => Some((found.name, path.steps.len())),
        _ => None,
    });
    let broken: Vec<_> = broken.collect();
    let known = [
        ("every byte is the next of the stream, at the next place", 28),
        ("data are reported only of a whole reply, all of it", 30),
        ("a session that is ours is closed", 28),
        ("what was closed is closed", 37),
    ];
    assert_eq!(broken, known);
    assert_eq!(size(report), (484_864, 712_337, 129));
}

#[test]
fn a_limit_leaves_the_system_inconclusive() {
    let model = System::new(Arm::Two, WITHOUT_FAULTS).expect("as above");
    let report = check(&model, Limits::NONE.states(10_000)).expect("the properties can be judged");
    assert!(report.is_inconclusive() && !report.holds());
    assert_eq!(report.states, 10_000);
}
