//! Open: its bytes, its bound, and every reply that is not a session.
use crate::m3_read::talk::{HOST, SECOND, after, connected, forced, open, started, stray};
use firmware_core::m3_read::error_code::{ErrorCode, OpenHint};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::pair::Pair;
use models::m3_read::responder::script::Script;

const NAME_MISMATCH: &str = "94,CERTIFICATE NAME MISMATCH: 0x00000004";

/// Opens once, with this reply to `OPEN_TLS`.
#[track_caller]
fn opening(reply: Answer) -> (Pair<Script>, Result<(), ErrorCode>) {
    let mut pair = started(Arm::Two);
    pair.engine.opens.push_back(after(0, reply));
    let verdict = open(&mut pair);
    assert_eq!(pair.log.violations, []);
    (pair, verdict)
}

/// The reply opened nothing that could be kept: it is released at once, with this code and hint.
#[track_caller]
fn is_released(reply: Answer, code: u8, hint: OpenHint) -> Pair<Script> {
    let (pair, verdict) = opening(reply);
    assert_eq!(verdict.map_err(ErrorCode::byte), Err(code));
    assert_eq!(pair.reader.hint(), hint);
    assert_eq!(pair.log.commands.last().map(Vec::as_slice), Some([0x03, 0x25].as_slice()));
    assert_eq!(pair.log.numbers(), [0x23, 0x21, 0x25], "the very next network command");
    assert_eq!(pair.responder.sessions().iter().count(), 0);
    assert_eq!(pair.reader.connection(), Connection::ConnectFail);
    pair
}

fn opened(version: u16) -> Answer {
    Answer::Opened { version, suite: 0x1301, group: 0x001D }
}

fn refused(line: &str) -> Answer {
    Answer::Failed(line.into())
}

/// Cites S 1.7, S 1.1 open.
#[test]
fn open_layout() {
    let (pair, verdict) = opening(opened(0x0304));
    assert_eq!(verdict, Ok(()));
    assert_eq!(pair.log.commands[1], [&[0x03, 0x21, 0xBB, 0x01, 0x00, 0x01], HOST].concat());
}

/// Cites ER-1, S 4.3.
#[test]
fn open_waits_45s_not_12() {
    let mut pair = started(Arm::Two);
    pair.engine.opens.push_back(after(30 * SECOND, opened(0x0304)));
    assert_eq!(open(&mut pair), Ok(()));
    assert_eq!(pair.log.aborts(), [0_u32; 0]);
}

/// Cites ER-1, S 1.1 ABORT, S 1.8, App. A, ER-4.
#[test]
fn open_timeout_aborts_then_releases() {
    let mut pair = started(Arm::Two);
    pair.engine.opens.push_back(after(50 * SECOND, opened(0x0304)));
    assert_eq!(open(&mut pair), Err(ErrorCode::WaitTimeout));
    assert_eq!(pair.reader.last_error().byte(), 0x89);
    let pushes: Vec<u32> =
        pair.log.controls.iter().filter(|(_, value)| *value == 0x01).map(|&(at, _)| at).collect();
    let [abort] = pair.log.aborts()[..] else { panic!("one abort: {:?}", pair.log.aborts()) };
    assert!((45 * SECOND..47 * SECOND).contains(&(abort - pushes[1])));
    assert_eq!(pair.log.numbers(), [0x23, 0x21, 0x25]);
    assert_eq!(pair.responder.sessions().iter().count(), 0);
    assert_eq!(pair.log.violations, []);
}

/// Cites ER-8, S 2, S 1.8.
#[test]
fn refusal_line_is_kept_whole() {
    let (pair, verdict) = opening(refused(NAME_MISMATCH));
    assert_eq!(verdict, Err(ErrorCode::OpenRefused));
    assert_eq!(pair.reader.status_line().text(), NAME_MISMATCH.as_bytes());
    assert_eq!(pair.reader.status_line().text().len(), 40);
    assert_eq!(pair.reader.connection(), Connection::ConnectFail);
    assert_eq!(pair.reader.ownership().handle(), None);
}

/// What the screen shows is the whole line and $8D, and nothing was sent. Cites S 2.
#[test]
fn refusal_reaches_the_user() {
    let (pair, _) = opening(refused(NAME_MISMATCH));
    assert_eq!(pair.reader.status_line().text(), NAME_MISMATCH.as_bytes());
    assert_eq!(pair.reader.last_error().byte(), 0x8D);
    assert_eq!(pair.log.numbers(), [0x23, 0x21]);
}

/// Cites client rules.
#[test]
fn rejected_push_is_not_a_reply() {
    let mut pair = started(Arm::Two);
    pair.course.before_pushes.extend([None, Some(stray())]);
    assert_eq!(open(&mut pair), Err(ErrorCode::ConnectFailed));
    assert_eq!(pair.reader.last_error().byte(), 0x84);
    assert_eq!(pair.reader.ownership().handle(), None);
    assert_eq!(pair.log.numbers(), [0x23], "the OPEN never ran");
    assert_eq!(pair.responder.sessions().iter().count(), 0);
}

/// Cites S 1.1 open.
#[test]
fn ok_without_handle_is_released() {
    is_released(forced(&[(&[], "00,OK", false)]), 0x88, OpenHint::Malformed);
}

/// Cites S 1.1 open.
#[test]
fn short_open_reply_is_released() {
    is_released(forced(&[(&[5, 4, 3], "00,OK", false)]), 0x88, OpenHint::Malformed);
}

/// Cites S 1.1 open.
#[test]
fn long_open_reply_is_released() {
    let ten = [5, 4, 3, 1, 0x13, 0x1D, 0, 0, 9, 9];
    is_released(forced(&[(&ten, "00,OK", false)]), 0x88, OpenHint::Malformed);
}

/// Cites S 1.1 open.
#[test]
fn refusal_with_data_is_released() {
    let eight = [5, 4, 3, 1, 0x13, 0x1D, 0, 0];
    for data in [&eight[..1], &eight] {
        is_released(forced(&[(data, NAME_MISMATCH, false)]), 0x88, OpenHint::Malformed);
    }
}

/// Cites S 1.7.
#[test]
fn non_tls13_session_is_refused() {
    is_released(opened(0x0303), 0x84, OpenHint::NotTls13);
}

/// Cites S 1.7.
#[test]
fn reply_version_major_checked() {
    is_released(opened(0x0404), 0x84, OpenHint::NotTls13);
}

/// Cites v1.3 (coming).
#[test]
fn alert14_reads_as_no_tls13() {
    let (pair, verdict) = opening(refused("14,TLS ALERT RECEIVED: 40"));
    assert_eq!(verdict, Err(ErrorCode::OpenRefused));
    assert_eq!(pair.reader.hint(), OpenHint::NoTls13);
    assert_eq!(pair.reader.status_line().text(), b"14,TLS ALERT RECEIVED: 40");
}

/// Cites v1.3 (coming).
#[test]
fn only_version_alerts_read_as_no_tls13() {
    let alerts = [40_u8, 70, 71, 112, 4].map(|alert| {
        let (pair, _) = opening(refused(&format!("14,TLS ALERT RECEIVED: {alert}")));
        pair.reader.hint() == OpenHint::NoTls13
    });
    assert_eq!(alerts, [true, true, true, false, false]);
}

/// Each hint has its own text on the screen, instead of a line that says OK. Cites client rules.
#[test]
fn hint_texts_reach_the_user() {
    let not_tls13 = is_released(opened(0x0303), 0x84, OpenHint::NotTls13);
    let short = forced(&[(&[5, 4, 3], "00,OK", false)]);
    let malformed = is_released(short, 0x88, OpenHint::Malformed);
    assert_ne!(not_tls13.reader.hint(), malformed.reader.hint());
    let (fine, verdict) = opening(opened(0x0304));
    assert_eq!((verdict, fine.reader.hint()), (Ok(()), OpenHint::None));
}

/// Cites App. A.
#[test]
fn release_is_retried_once() {
    let mut pair = started(Arm::Two);
    pair.engine.opens.push_back(after(50 * SECOND, opened(0x0304)));
    // INFO and OPEN are read at once; the first RELEASE is answered only after its bound.
    pair.course.stalls.extend([0, 0, 13 * SECOND]);
    assert_eq!(open(&mut pair), Err(ErrorCode::WaitTimeout));
    assert_eq!(pair.log.numbers(), [0x23, 0x21, 0x25, 0x25]);
    assert_eq!(pair.log.aborts().len(), 2);
    assert_eq!(pair.responder.sessions().iter().count(), 0);
    assert_eq!(pair.log.violations, []);
}

/// Cites client rules.
#[test]
fn held_session_message() {
    let mut pair = connected(Arm::Two);
    pair.course.before_pushes.extend([Some(stray()), Some(stray())]);
    assert_eq!(open(&mut pair), Err(ErrorCode::ConnectFailed));
    assert_eq!(pair.reader.last_error().byte(), 0x84);
    assert_eq!(pair.reader.hint(), OpenHint::Held);
    assert_eq!(pair.reader.ownership().handle(), Some(0), "it is still open, and ours");
    assert!(!pair.log.numbers().contains(&0x21), "no OPEN over an unclosed session");
}
