//! From one connection to the next, the address, and what the published tests leave open.
use crate::m3_read::talk::{
    NEVER, SERVER, after, close, connected, forced, open, poll, restarted, start_up, started,
    started_before, stray, stream, write,
};
use firmware_core::m3_read::error_code::{ErrorCode, OpenHint};
use firmware_core::m3_read::input::{OpenRequest, Request, Trust};
use firmware_core::m3_read::output::{CloseOutcome, Done, Ending, PollOutcome, WriteOutcome};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::Setup;
use models::m3_read::responder::network::Answer;

/// A program that has lost its first connection in every way it can opens a second one from scratch.
#[test]
fn a_new_session_begins_with_an_empty_ring_and_no_trace_of_the_last_one() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 10))));
    pair.engine.reads.push_back(after(0, Answer::Ended { notified: false }));
    poll(&mut pair);
    poll(&mut pair);
    assert_eq!((pair.reader.ending(), pair.unread().len()), (Some(Ending::WithoutNotify), 10));
    pair.engine.opens.push_back(after(0, Answer::Failed(b"84,UNRESOLVED HOST".to_vec())));
    assert_eq!(open(&mut pair), Err(ErrorCode::OpenRefused));
    assert_eq!(pair.reader.connection(), Connection::ConnectFail);

    assert_eq!(open(&mut pair), Ok(()));
    assert_eq!(pair.reader.connection(), Connection::Connected);
    assert_eq!((pair.reader.ending(), pair.unread()), (None, Vec::new()));
    assert_eq!(pair.reader.last_error(), ErrorCode::Ok);
    assert_eq!(pair.reader.hint(), OpenHint::None);
}

#[test]
fn an_older_session_is_closed_before_a_new_one_is_opened() {
    let mut pair = connected(Arm::Two);
    assert_eq!(open(&mut pair), Ok(()));
    assert_eq!(pair.log.numbers(), [0x09, 0x23, 0x21]);
    assert_eq!(pair.responder.sessions().iter().count(), 1);
}

/// Cites ER-10, ER-16: the time bit is not needed for a pin.
#[test]
fn an_open_with_a_pin_does_not_wait_for_a_trusted_time() {
    let mut pair = started(Arm::Two);
    pair.set_source(&[[7; 32].as_slice(), b"example.org"].concat());
    pair.engine.infos.extend([3, 3].map(|bits| after(0, Answer::Ready(bits))));
    let request = OpenRequest { trust: Trust::Pin, ..SERVER };
    assert_eq!(pair.run(Request::Open(request)), Ok(Done::Open(Ok(()))));
    assert_eq!(pair.log.numbers(), [0x23, 0x21]);
}

/// Cites S 1.3, ER-22: only status 21 means firmware without TLS, and only 16 bytes are a record.
#[test]
fn info_that_is_refused_otherwise_is_no_firmware_at_all() {
    for (data, line) in [(&[][..], "83,INTERFACE NOT AVAILABLE"), (&[1, 2, 0, 7], "00,OK")] {
        let mut pair = started_before(Arm::Two, Setup::m3());
        pair.engine.infos.push_back(after(0, forced(&[(data, line, false)])));
        assert_eq!(start_up(&mut pair), Err(ErrorCode::NotPresent), "{line}");
    }
}

/// Cites ER-16: a certificate can be judged only when the time is known.
#[test]
fn an_open_with_the_store_waits_for_a_trusted_time() {
    let mut pair = started(Arm::Two);
    pair.engine.infos.extend([3, 7].map(|bits| after(0, Answer::Ready(bits))));
    assert_eq!(open(&mut pair), Ok(()));
    assert_eq!(pair.log.numbers(), [0x23, 0x23, 0x21]);
}

/// Cites ER-9, S 1.1 open: the range of a handle is 0..=15, and $FF is none.
#[test]
fn a_session_with_a_handle_that_no_sweep_would_name_is_released() {
    for (handle, accepted) in [(0, true), (15, true), (16, false), (0xFF, false)] {
        let mut pair = started(Arm::Two);
        let reply = [handle, 4, 3, 1, 0x13, 0x1D, 0, 0];
        pair.engine.opens.push_back(after(0, forced(&[(&reply, "00,OK", false)])));
        assert_eq!(open(&mut pair).is_ok(), accepted, "handle {handle}");
        assert_eq!(pair.log.count(0x25), usize::from(!accepted));
        assert_eq!(pair.reader.ownership().handle(), accepted.then_some(handle));
    }
}

/// Cites S 1.7: TLS 1.2 is taken only from a server that was asked for it.
#[test]
fn a_session_of_tls_1_2_is_kept_when_it_was_allowed() {
    let mut pair = started(Arm::Two);
    let tls12 = Answer::Opened { version: 0x0303, suite: 0xC02F, group: 0x001D };
    pair.engine.opens.push_back(after(0, tls12));
    let request = OpenRequest { tls13_only: false, ..SERVER };
    assert_eq!(pair.run(Request::Open(request)), Ok(Done::Open(Ok(()))));
    assert_eq!(pair.log.commands[1][5], 0, "the flags byte");
}

fn address(interfaces: &[[u8; 4]]) -> Result<[u8; 4], ErrorCode> {
    let padded = |&[a, b, c, d]: &[u8; 4]| [a, b, c, d, 255, 255, 255, 0, 0, 0, 0, 0];
    let setup = Setup { interfaces: interfaces.iter().map(padded).collect(), ..Setup::m3() };
    let mut pair = started_before(Arm::Two, setup);
    match pair.run(Request::Address) {
        Ok(Done::Address(verdict)) => verdict,
        other => panic!("an address ends as one: {other:?}"),
    }
}

/// Cites client rules.
#[test]
fn the_first_interface_that_has_an_address_is_the_one() {
    let (none, wired, wireless) = ([0; 4], [192, 0, 2, 1], [192, 0, 2, 2]);
    assert_eq!(address(&[wired, wireless]), Ok(wired));
    assert_eq!(address(&[none, wireless]), Ok(wireless));
    assert_eq!(address(&[none, none]), Err(ErrorCode::NoAddress));
    assert_eq!(address(&[none]), Err(ErrorCode::NoAddress), "the second one is refused with 82");
}

#[test]
fn each_refused_push_leaves_the_code_of_its_command() {
    let refused = || Some(stray());
    let mut pair = started(Arm::Two);
    pair.course.before_pushes.push_back(refused());
    let done = pair.run(Request::Address);
    assert_eq!(done, Ok(Done::Address(Err(ErrorCode::CommandFailed))));

    let mut pair = connected(Arm::Two);
    pair.course.before_pushes.push_back(refused());
    assert_eq!(poll(&mut pair), PollOutcome::Rejected);
    assert_eq!(pair.reader.last_error(), ErrorCode::ReadFailed);
    assert_eq!(close(&mut pair), CloseOutcome::Closed, "S 1.6: ours to close");

    let mut pair = connected(Arm::Two);
    pair.course.before_pushes.extend([None, refused()]);
    assert_eq!(write(&mut pair, b"x"), WriteOutcome::Failed(ErrorCode::SendFailed));
}

/// Cites ER-11, client rules: whatever wedges, the code is that of a wait in vain.
#[test]
fn a_wedge_leaves_89_whichever_command_it_was() {
    let mut pair = connected(Arm::Two);
    pair.engine.closes.push_back(after(NEVER, Answer::Sent));
    assert_eq!(close(&mut pair), CloseOutcome::Wedged);
    assert_eq!(pair.reader.last_error(), ErrorCode::WaitTimeout);

    let mut pair = connected(Arm::Two);
    restarted(&mut pair);
    pair.engine.closes.push_back(after(NEVER, Answer::Sent));
    assert_eq!(start_up(&mut pair), Err(ErrorCode::WaitTimeout));
    assert_eq!(pair.reader.last_error(), ErrorCode::WaitTimeout);
}

/// Cites S 4.3 and ER-1: 41.1 s for an `OPEN_TLS` and 11.1 s for any other command are promised, and no
/// bound ends before.
#[test]
fn a_reply_as_late_as_the_firmware_promises_is_not_cut_off() {
    let mut pair = started(Arm::Two);
    let tls13 = Answer::Opened { version: 0x0304, suite: 0x1301, group: 0x001D };
    pair.engine.opens.push_back(after(4_110, tls13));
    assert_eq!(open(&mut pair), Ok(()));
    pair.engine.reads.push_back(after(1_110, Answer::Data(stream(0, 10))));
    assert_eq!(poll(&mut pair), PollOutcome::Data(10));
    pair.engine.closes.push_back(after(1_110, Answer::Sent));
    assert_eq!(close(&mut pair), CloseOutcome::Closed);
    assert_eq!(pair.log.aborts(), [0_u32; 0]);
}

/// Cites S 1.1 others: a WRITE that was aborted is done in full or dead, and never sent
/// again.
#[test]
fn an_aborted_write_is_not_sent_again() {
    let mut pair = connected(Arm::Two);
    pair.engine.writes.push_back(after(1_500, Answer::Sent));
    assert_eq!(write(&mut pair, b"x"), WriteOutcome::Failed(ErrorCode::WaitTimeout));
    assert_eq!(pair.reader.connection(), Connection::Error);
    assert_eq!(write(&mut pair, b"x"), WriteOutcome::NotConnected);
    assert_eq!(close(&mut pair), CloseOutcome::Closed);
    assert_eq!(pair.log.numbers(), [0x10, 0x11, 0x09]);
}

/// Cites S 1.1 others: an aborted CLOSE has completed.
#[test]
fn an_aborted_close_counts_as_done() {
    let mut pair = connected(Arm::Two);
    pair.engine.closes.push_back(after(1_500, Answer::Sent));
    assert_eq!(close(&mut pair), CloseOutcome::Aborted);
    assert_eq!(pair.reader.ownership().handle(), None);
    assert_eq!(pair.responder.sessions().iter().count(), 0);
    assert_eq!(close(&mut pair), CloseOutcome::NothingOwned);
}
