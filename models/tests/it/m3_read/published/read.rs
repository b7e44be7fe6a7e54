//! READ on one block: every end it can have.
use crate::m3_read::talk::{NEVER, SECOND, after, connected, counted, ends, forced, poll, stream};
use firmware_core::m3_read::copy::Hole;
use firmware_core::m3_read::handshake::State;
use firmware_core::m3_read::output::{Death, Ending, Missing, PollOutcome};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::pair::Pair;
use models::m3_read::responder::script::Script;

/// What one READ makes of this reply, in every arm alike.
#[track_caller]
fn reading(reply: &Answer) -> (Pair<Script>, PollOutcome) {
    let [_, one, two] = Arm::ALL.map(|arm| {
        let mut pair = connected(arm);
        pair.engine.reads.push_back(after(0, reply.clone()));
        let outcome = poll(&mut pair);
        (pair, outcome)
    });
    assert_eq!(one.1, two.1, "the arms agree on replies of one block");
    two
}

/// Cites ER-9.
#[test]
fn handle_zero_is_legal() {
    let mut pair = connected(Arm::Two);
    assert_eq!(poll(&mut pair), PollOutcome::Idle);
    ends(&mut pair, 0x00, true);
    assert_eq!(pair.log.commands, [vec![0x03, 0x10, 0, 0xC0, 0x05], vec![0x03, 0x09, 0]]);
}

/// Cites S 1.6, S 1.6 M10.
#[test]
fn read_end_01_is_gone() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 10))));
    pair.engine.reads.push_back(after(0, Answer::Ended { notified: true }));
    assert_eq!(poll(&mut pair), PollOutcome::Data(10));
    assert_eq!(poll(&mut pair), PollOutcome::Gone(Ending::Clean));
    assert_eq!(pair.unread(), stream(0, 10));
    assert_eq!(pair.reader.connection(), Connection::Closed);
    ends(&mut pair, 0x00, false);
}

/// Cites S 1.6, S 1.6 M10.
#[test]
fn read_end_05_is_gone() {
    let (mut pair, outcome) = reading(&Answer::Ended { notified: false });
    assert_eq!(outcome, PollOutcome::Gone(Ending::WithoutNotify));
    assert_eq!(pair.reader.connection(), Connection::Closed);
    assert_eq!(pair.reader.ending(), Some(Ending::WithoutNotify));
    ends(&mut pair, 0x00, false);
}

/// Cites S 1.6.
#[test]
fn read_end_14_is_closed() {
    let (mut pair, outcome) = reading(&Answer::Failed(b"14,TLS ALERT RECEIVED: 20".to_vec()));
    assert_eq!(outcome, PollOutcome::DeadOwned(Death::StickyEnd));
    assert_eq!(pair.reader.connection(), Connection::Error);
    ends(&mut pair, 0x90, true);
}

/// Cites ER-7, S 1.6 M10.
#[test]
fn read_not_ours_stops() {
    let (mut pair, outcome) = reading(&forced(&[(&[0xFF, 0xFF], "02,NO DATA: 9", false)]));
    assert_eq!(outcome, PollOutcome::NotOurs);
    assert_eq!(poll(&mut pair), PollOutcome::End);
    ends(&mut pair, 0x90, false);
    assert_eq!(pair.log.numbers(), [0x10], "no further command");
}

/// Cites ER-7.
#[test]
fn ffff_other_errno_stops() {
    let (mut pair, outcome) = reading(&forced(&[(&[0xFF, 0xFF], "02,NO DATA: 12", false)]));
    assert_eq!(outcome, PollOutcome::NotOurs);
    ends(&mut pair, 0x90, false);
}

/// Cites ER-7.
#[test]
fn idle_read_stays_connected() {
    let (pair, outcome) = reading(&Answer::NothingYet);
    assert_eq!(outcome, PollOutcome::Idle);
    assert_eq!(pair.reader.connection(), Connection::Connected);
    assert_eq!(pair.unread(), [0_u8; 0]);
}

/// Cites ER-12.
#[test]
fn empty_read_reply_is_not_eof() {
    let (mut pair, outcome) = reading(&forced(&[(&[], "82,PARAMETER(S) OUT OF RANGE", false)]));
    assert_eq!(outcome, PollOutcome::DeadOwned(Death::NoHeader));
    assert_eq!(pair.reader.connection(), Connection::Error, "not Closed");
    ends(&mut pair, 0x8B, true);
}

/// Cites ER-5, and case 17.
#[test]
fn data_more_is_never_accepted() {
    let blocks = forced(&[(b"\x0A\0abc", "", true), (b"defghij", "00,OK", false)]);
    let (mut pair, outcome) = reading(&blocks);
    assert_eq!(outcome, PollOutcome::Hole(Hole::MoreAfterShortBlock));
    assert!(!pair.log.accepts.contains(&State::DataMore));
    assert_eq!(pair.unread(), b"abc");
    assert_eq!(pair.reader.connection(), Connection::Error);
    ends(&mut pair, 0x8F, true);
}

/// Cites S 1.1 M-2, ER-1.
#[test]
fn read_timeout_aborts_and_closes() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(15 * SECOND, Answer::Data(stream(0, 10))));
    assert_eq!(poll(&mut pair), PollOutcome::TimedOut(Missing::FirstBlock));
    assert_eq!(pair.log.aborts().len(), 1);
    assert_eq!(pair.reader.connection(), Connection::Error);
    assert_eq!(pair.unread(), [0_u8; 0]);
    ends(&mut pair, 0x89, true);
}

/// Cites ER-5.
#[test]
fn short_block_is_dead() {
    let (mut pair, outcome) = reading(&forced(&[(&counted(10, 3), "00,OK", false)]));
    assert_eq!(outcome, PollOutcome::Hole(Hole::ShortBlock));
    ends(&mut pair, 0x8F, true);
}

/// Cites ER-5.
#[test]
fn block_tail_is_dead() {
    let (mut pair, outcome) = reading(&forced(&[(&counted(3, 8), "00,OK", false)]));
    assert_eq!(outcome, PollOutcome::Hole(Hole::BytesPastHeader));
    assert_eq!(pair.unread(), stream(0, 3));
    ends(&mut pair, 0x8B, true);
}

/// Cites ER-5.
#[test]
fn overclaimed_header_is_dead() {
    // 1024 is over what arms F and 1 ask for; over what arm 2 asks for is 1473.
    for (arm, header) in [(Arm::F, 1_024), (Arm::One, 1_024), (Arm::Two, 1_473)] {
        let mut pair = connected(arm);
        pair.engine.reads.push_back(after(0, forced(&[(&counted(header, 4), "00,OK", false)])));
        assert_eq!(poll(&mut pair), PollOutcome::Hole(Hole::HeaderOverRequest));
        ends(&mut pair, 0x8B, true);
    }
}

/// Cites client rules.
#[test]
fn data_more_wedge_keeps_89() {
    let mut pair = connected(Arm::Two);
    let blocks = forced(&[(&counted(10, 3), "", true)]);
    pair.engine.reads.push_back(after(0, blocks));
    pair.course.aborts_served_after = NEVER;
    assert_eq!(poll(&mut pair), PollOutcome::Wedged);
    assert!(pair.reader.wedged());
    assert_eq!(pair.reader.last_error().byte(), 0x89);
    ends(&mut pair, 0x89, false);
}
