//! The continuation of arm 2; in the other arms these cases do not arise.
use crate::m3_read::talk::{SECOND, after, connected, counted, ends, forced, poll, stream};
use firmware_core::m3_read::copy::Hole;
use firmware_core::m3_read::handshake::State;
use firmware_core::m3_read::output::{Missing, PollOutcome};
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::pair::{Continuation, Pair};
use models::m3_read::responder::script::Script;

#[track_caller]
fn reading(blocks: &[(&[u8], &str, bool)]) -> (Pair<Script>, PollOutcome) {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(0, forced(blocks)));
    let outcome = poll(&mut pair);
    (pair, outcome)
}

#[track_caller]
fn is_a_hole(blocks: &[(&[u8], &str, bool)], hole: Hole, code: u8, in_ring: u16) -> Pair<Script> {
    let (mut pair, outcome) = reading(blocks);
    assert_eq!(outcome, PollOutcome::Hole(hole));
    assert_eq!(pair.unread(), stream(0, in_ring));
    ends(&mut pair, code, true);
    pair
}

/// Cites S:2012-2013, client rules.
#[test]
fn read_continues_over_data_more() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 960))));
    assert_eq!(poll(&mut pair), PollOutcome::Data(960));
    assert_eq!(pair.unread(), stream(0, 960));
    assert_eq!(pair.log.commands, [[0x03, 0x10, 0, 0xC0, 0x05]], "the request is 1472");
    assert_eq!(pair.log.accepts, [State::DataMore, State::DataLast]);
    assert_eq!(pair.reader.status_line().text(), b"00,OK", "with the last block");
}

/// Cites ER-5.
#[test]
fn continuation_after_short_block_is_a_hole() {
    let first = counted(960, 892);
    let blocks: [(&[u8], &str, bool); 2] = [(&first, "", true), (&stream(892, 68), "00,OK", false)];
    let pair = is_a_hole(&blocks, Hole::MoreAfterShortBlock, 0x8F, 892);
    assert_eq!(pair.log.accepts.iter().filter(|&&state| state == State::DataMore).count(), 0);
    assert_eq!(pair.log.aborts().len(), 1);
}

/// Cites ER-5.
#[test]
fn short_continuation_is_a_hole() {
    let first = counted(960, 893);
    let blocks: [(&[u8], &str, bool); 2] = [(&first, "", true), (&stream(893, 66), "00,OK", false)];
    is_a_hole(&blocks, Hole::ShortContinuation, 0x8F, 959);
}

/// Cites ER-5.
#[test]
fn long_continuation_is_a_hole() {
    let first = counted(960, 893);
    let blocks: [(&[u8], &str, bool); 2] = [(&first, "", true), (&stream(893, 68), "00,OK", false)];
    is_a_hole(&blocks, Hole::BytesPastHeader, 0x8B, 960);
}

/// Cites ER-5.
#[test]
fn unowed_continuation_is_a_hole() {
    let first = counted(893, 893);
    let unowed: [(&[u8], &str, bool); 2] = [(&first, "", true), (&stream(893, 67), "00,OK", false)];
    let pair = is_a_hole(&unowed, Hole::UnowedMore, 0x8B, 893);
    assert_eq!(pair.log.aborts().len(), 1);

    let first = counted(960, 893);
    let second: [(&[u8], &str, bool); 3] =
        [(&first, "", true), (&stream(893, 10), "", true), (&stream(903, 57), "00,OK", false)];
    let pair = is_a_hole(&second, Hole::SecondMore, 0x8F, 903);
    assert_eq!(pair.log.accepts.iter().filter(|&&state| state == State::DataMore).count(), 1);
}

/// Cites ER-1 N-1, client rules.
#[test]
fn continuation_timeout_aborts() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 960))));
    pair.course.continuations.push_back(Continuation::After(11 * SECOND));
    assert_eq!(poll(&mut pair), PollOutcome::Data(960), "taken at accept + 11 s");
    assert_eq!(pair.log.aborts(), [0_u32; 0]);
    pair.consume();

    pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 960))));
    pair.course.continuations.push_back(Continuation::Lost);
    assert_eq!(poll(&mut pair), PollOutcome::TimedOut(Missing::Continuation));
    let accepted = pair.log.controls.iter().rev().find(|(_, value)| *value == 0x02);
    let [abort] = pair.log.aborts()[..] else { panic!("one abort: {:?}", pair.log.aborts()) };
    let waited = accepted.map(|(at, _)| abort - at);
    assert!(waited.is_some_and(|units| (12 * SECOND..13 * SECOND).contains(&units)), "{waited:?}");
    ends(&mut pair, 0x89, true);
}
