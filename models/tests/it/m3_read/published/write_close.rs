//! WRITE and CLOSE.
use crate::m3_read::talk::{after, close, connected, ends, open, stray, stream, write};
use firmware_core::m3_read::error_code::{ErrorCode, OpenHint};
use firmware_core::m3_read::output::{CloseOutcome, WriteOutcome};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;

/// Cites ER-21.
#[test]
fn read_before_write() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(0, Answer::Data(b"early".to_vec())));
    assert_eq!(write(&mut pair, b"GET / HTTP/1.1"), WriteOutcome::Sent);
    assert_eq!(pair.log.numbers(), [0x10, 0x10, 0x11]);
    assert_eq!(pair.unread(), b"early");
}

/// Cites S 1.6, ER-21.
#[test]
fn write_failure_is_reported() {
    let mut pair = connected(Arm::Two);
    pair.engine.writes.push_back(after(0, Answer::Failed(b"12,SEND ERROR: 104".to_vec())));
    let outcome = write(&mut pair, b"GET / HTTP/1.1");
    assert_eq!(outcome, WriteOutcome::Failed(ErrorCode::ShortWrite));
    assert_eq!(pair.reader.connection(), Connection::Error);
    ends(&mut pair, 0x87, true);
}

/// Cites S 1.5.
#[test]
fn long_write_is_split_at_892() {
    let mut pair = connected(Arm::Two);
    let bytes = stream(0, 1_024);
    assert_eq!(write(&mut pair, &bytes), WriteOutcome::Sent);
    let pieces: Vec<&[u8]> = pair
        .log
        .commands
        .iter()
        .filter(|command| command[1] == 0x11)
        .map(|command| &command[3..])
        .collect();
    assert_eq!(pieces, [&bytes[..892], &bytes[892..]]);
    assert_eq!(pieces[1].len(), 132);
}

/// Cites client rules.
#[test]
fn rejected_close_is_retried() {
    let mut pair = connected(Arm::Two);
    pair.course.before_pushes.push_back(Some(stray()));
    assert_eq!(close(&mut pair), CloseOutcome::Closed);
    let pushes = pair.log.controls.iter().filter(|(_, value)| *value == 0x01).count();
    assert_eq!((pushes, pair.log.numbers()), (2, vec![0x09]));
    assert_eq!(pair.reader.ownership().handle(), None);
    assert_eq!(pair.log.violations, []);
}

/// Cites client rules.
#[test]
fn unclosed_handle_stays_owned() {
    let mut pair = connected(Arm::Two);
    pair.course.before_pushes.extend([Some(stray()), Some(stray())]);
    assert_eq!(close(&mut pair), CloseOutcome::Rejected);
    assert_eq!(pair.reader.ownership().handle(), Some(0));
    assert_eq!(pair.reader.connection(), Connection::Closed);

    pair.course.before_pushes.extend([Some(stray()), Some(stray())]);
    assert_eq!(open(&mut pair), Err(ErrorCode::ConnectFailed));
    assert_eq!(pair.reader.hint(), OpenHint::Held);

    assert_eq!(close(&mut pair), CloseOutcome::Closed);
    assert_eq!(pair.reader.ownership().handle(), None);
    assert_eq!(pair.responder.sessions().iter().count(), 0);
}
