//! How long an abort may take before the interface counts as wedged.
use crate::m3_read::talk::{
    NEVER, SECOND, after, connected, forced, open, poll, start_up, started, stray, stream,
};
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::output::{Missing, PollOutcome};
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;

/// Cites ER-1, ER-11.
#[test]
fn an_aborted_read_waits_12_seconds_for_its_abort_and_is_then_wedged() {
    for (returns, outcome) in [
        (23 * SECOND, PollOutcome::TimedOut(Missing::FirstBlock)),
        (25 * SECOND, PollOutcome::Wedged),
        (NEVER, PollOutcome::Wedged),
    ] {
        let mut pair = connected(Arm::Two);
        pair.engine.reads.push_back(after(returns, Answer::Data(stream(0, 9))));
        assert_eq!(poll(&mut pair), outcome, "the command returns after {returns} units");
        assert_eq!(pair.reader.wedged(), outcome == PollOutcome::Wedged);
        assert_eq!(pair.unread(), [0_u8; 0]);
        assert_eq!(pair.log.violations, []);
    }
}

/// Whichever is later: 45 s from the push of an Open, or 12 s from the abort. Cites ER-1.
#[test]
fn an_open_whose_reply_has_a_hole_waits_for_its_abort_until_45_seconds_after_the_push() {
    for (served, code) in
        [(40 * SECOND, ErrorCode::NoSocket), (46 * SECOND, ErrorCode::WaitTimeout)]
    {
        let mut pair = started(Arm::Two);
        let eight = [5, 4, 3, 1, 0x13, 0x1D, 0, 0];
        pair.engine.opens.push_back(after(0, forced(&[(&eight, "", true)])));
        pair.course.aborts_served_after = served;
        assert_eq!(open(&mut pair), Err(code));
        assert_eq!(pair.reader.wedged(), code == ErrorCode::WaitTimeout);
        assert_eq!(pair.log.count(0x25), usize::from(code == ErrorCode::NoSocket));
    }
}

/// Nobody knows when the command was pushed whose reply stands in the way. Cites ER-1.
#[test]
fn an_abort_of_something_unknown_may_take_45_seconds() {
    for (served, outcome) in [(44, PollOutcome::Idle), (46, PollOutcome::Wedged)] {
        let mut pair = connected(Arm::Two);
        pair.responder.suffer(stray());
        pair.course.aborts_served_after = served * SECOND;
        assert_eq!(poll(&mut pair), outcome);
    }
}

/// Cites ER-2.
#[test]
fn the_first_abort_of_all_may_take_45_seconds() {
    for (served, verdict) in [(44, Ok(())), (46, Err(ErrorCode::WaitTimeout))] {
        let mut pair = started(Arm::Two);
        pair.course.aborts_served_after = served * SECOND;
        assert_eq!(start_up(&mut pair), verdict);
        let commands = pair.log.commands.len();
        assert_eq!(commands, if verdict.is_ok() { 17 } else { 0 });
    }
}
