//! The READ machine: its verdicts, the planted faults, and every reply of the grammar.
use firmware_core::m3_read::output::PollOutcome;
use firmware_core::m3_read::preset::Arm;
use models::m3_read::holes::expected::{Expected, expected};
use models::m3_read::holes::grammar::{Announced, Delivery, Fill, Reply, Tail};
use models::m3_read::holes::refusal::refusals;
use models::m3_read::machine::{
    Phase, Planted, TWINS, continuation, ended, first_block, machine, without_a_count,
};
use models::m3_read::system::scaled;
use models::machine::Machine;

use super::{broken, ours};
use crate::m3_read::system::{WITHOUT_FAULTS, explored};

/// Cites ER-1, ER-5, ER-7, ER-12, S 1.6, S 1.6 M10 and App. A.
#[test]
fn no_arm_breaks_a_claim() {
    for (arm, states) in [(Arm::F, ARM_1), (Arm::One, ARM_1), (Arm::Two, ARM_2)] {
        let said = ours(&machine(arm, None));
        assert_eq!((said.states, said.broken), (states, Vec::new()), "{}", arm.name());
    }
}

const ARM_1: u32 = 27_450;
const ARM_2: u32 = 42_633;

/// Cites ER-5, ER-1 N-1, ER-7 and S 1.6.
#[test]
fn each_planted_fault_breaks_what_it_is_about() {
    for (planted, claim) in [
        (Planted::AcceptOverHole, "nothing is accepted over a hole"),
        (Planted::AcceptUnread, "a block is read to its end before it is accepted"),
        (Planted::EndlessContinuation, "every wait ends"),
        (Planted::AnyLineIsIdle, "only the exact line is idle"),
        (Planted::CloseAfterEnd, "01 and 05 are never closed"),
        (
            Planted::HoleIsData,
            "data are all that was announced, of a reply without a flaw that stays",
        ),
    ] {
        let broken = broken(&machine(Arm::Two, Some(planted)));
        assert!(broken.contains(&claim), "{}: {broken:?}", planted.name());
    }
}

/// The claims that the closed system makes too: the core, before the same firmware, agrees.
#[test]
fn the_closed_system_says_of_the_core_what_the_machine_says() {
    for arm in [Arm::One, Arm::Two] {
        let explored = explored(arm, WITHOUT_FAULTS, 2);
        let (_, report) = &*explored;
        let broken = broken(&machine(arm, None));
        for (claim, property) in TWINS {
            let verdict = report.verdict(property).expect("the system has this rule").name();
            assert_eq!(verdict == "violated", broken.contains(&claim), "{claim}");
            assert_eq!(verdict, "holds", "{property}");
        }
    }
}

/// Lets the firmware make these moves, in order and as soon as it can, and the client all of its own.
fn follow(machine: &Machine, moves: &[String]) -> (String, bool) {
    let (mut word, mut moves) = (machine.first(), moves.iter().peekable());
    for _ in 0..200 {
        let mut found = Vec::new();
        machine.step(word, &mut |rule, next| {
            found.push((machine.rules[rule].name.as_str(), next));
        });
        let named = |wanted: &str| found.iter().find(|(name, _)| *name == wanted);
        let planned = moves.peek().and_then(|wanted| named(wanted));
        let served = named("environment serves the abort");
        let own = found.iter().find(|(name, _)| !name.starts_with("environment"));
        let Some((name, next)) = planned.or(served).or(own) else { break };
        if planned.is_some() {
            moves.next();
        }
        let begun = *name == "poll";
        word = *next;
        let phase = machine.value(word, machine.phase);
        let over = [Phase::Connected, Phase::Dead, Phase::Finished].map(u8::from);
        if !begun && over.contains(&phase) {
            break;
        }
    }
    ended(machine, word)
}

/// The machine's word for an outcome.
fn word(outcome: PollOutcome) -> &'static str {
    match outcome {
        PollOutcome::Data(_) => "data",
        PollOutcome::Idle => "idle",
        PollOutcome::NotOurs => "not_ours",
        PollOutcome::Gone(_) => "gone",
        PollOutcome::DeadOwned(_) => "dead",
        PollOutcome::Hole(_) => "hole",
        PollOutcome::TimedOut(_) => "timed_out",
        PollOutcome::Rejected => "rejected",
        PollOutcome::Wedged => "wedged",
        PollOutcome::End | PollOutcome::Full => "none",
    }
}

#[track_caller]
fn assert_ends(machine: &Machine, moves: &[String], end: &Expected) {
    let expected = (word(end.outcome).to_owned(), end.owned);
    assert_eq!(follow(machine, moves), expected, "{}: {moves:?}", machine.name);
}

/// Cites ER-5, ER-7, ER-12, S:2012-2013, S 1.6 and S 1.6 M10: the clauses say how each reply ends.
#[test]
fn every_reply_of_one_or_two_blocks_ends_in_the_machine_as_the_clauses_say() {
    let fills = Fill::ALL.into_iter().flat_map(|fill| Tail::ALL.map(|tail| (fill, tail)));
    for arm in Arm::ALL {
        let (config, machine) = (scaled(arm), machine(arm, None));
        for announced in Announced::ALL {
            let judged = |blocks: Vec<(Fill, Delivery)>, tail| {
                let sent = Reply { announced, blocks, tail }.sent(&config);
                expected(&config, announced.bytes(&config), &sent)
            };
            for (first, tail) in fills.clone() {
                let end = judged(vec![(first, Delivery::OnTime)], tail);
                // Where a continuation is asked for it must come, or the next test is about it.
                if end.accepts_on_more == 0 {
                    assert_ends(&machine, &[first_block(announced, first, tail)], &end);
                }
            }
            for first in Fill::ALL {
                for (second, tail) in fills.clone() {
                    let blocks = vec![(first, Delivery::OnTime), (second, Delivery::OnTime)];
                    let end = judged(blocks, tail);
                    let moves =
                        [first_block(announced, first, Tail::More), continuation(second, tail)];
                    assert_ends(&machine, &moves, &end);
                }
            }
        }
        for refusal in refusals() {
            let name = without_a_count(refusal.beginning, refusal.line, refusal.tail);
            assert_ends(&machine, &[name], &refusal.expected());
        }
    }
}

/// Cites ER-1 N-1.
#[test]
fn a_block_that_does_not_come_is_given_up() {
    let machine = machine(Arm::Two, None);
    assert_eq!(follow(&machine, &[]), ("timed_out".into(), true));
    let first = first_block(Announced::AllAsked, Fill::Exact, Tail::More);
    assert_eq!(follow(&machine, &[first]), ("timed_out".into(), true));
}
