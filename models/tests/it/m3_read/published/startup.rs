//! Startup, readiness, an interface that is busy, and one that is wedged.
use crate::m3_read::talk::{
    NEVER, SECOND, after, close, connected, open, poll, restarted, start_up, started,
    started_before, stray,
};
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::handshake::State;
use firmware_core::m3_read::input::Request;
use firmware_core::m3_read::output::{CloseOutcome, Done, PollOutcome};
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::Setup;
use models::m3_read::responder::firmware::{Firmware, FpgaVariant};
use models::m3_read::responder::network::Answer;

fn setup(change: impl FnOnce(&mut Firmware)) -> Setup {
    let mut setup = Setup::m3();
    change(&mut setup.firmware);
    setup
}

/// Cites ER-2, ER-4, ER-9, App. A.
#[test]
fn startup_sequence() {
    let mut setup = Setup::m3();
    setup.used_by_firmware = 3;
    let mut pair = started_before(Arm::Two, setup);
    assert_eq!(open(&mut pair), Ok(()));
    let left: Vec<u8> = pair.responder.sessions().iter().map(|(handle, _)| handle).collect();
    assert_eq!(left, [3], "a session is left over");
    restarted(&mut pair);

    assert_eq!(start_up(&mut pair), Ok(()));
    assert_eq!(pair.log.controls[0].1, 0x0C);
    let closes = (0..16).map(|handle| vec![0x03, 0x09, handle]);
    let expected: Vec<Vec<u8>> = closes.chain([vec![0x03, 0x23, 0xFF]]).collect();
    assert_eq!(pair.log.commands, expected);
    assert_eq!(pair.responder.sessions().iter().count(), 0);
    assert_eq!(pair.responder.fpga().state(), State::Idle);
    assert_eq!(pair.log.violations, []);
}

/// Cites ER-2.
#[test]
fn no_uci_writes_nothing() {
    let absent = FpgaVariant { enabled: false, ..Firmware::M3.fpga };
    let mut pair = started_before(Arm::Two, setup(|firmware| firmware.fpga = absent));
    assert_eq!(start_up(&mut pair), Err(ErrorCode::NotPresent));
    assert_eq!(pair.reader.last_error().byte(), 0x81);
    assert_eq!(pair.log.writes, [0; 5]);
}

/// Cites S 1.3, ER-22.
#[test]
fn no_tls_firmware() {
    let mut pair = started_before(Arm::Two, setup(|firmware| firmware.tls = false));
    assert_eq!(start_up(&mut pair), Err(ErrorCode::CommandUnknown));
    assert_eq!(pair.reader.last_error().byte(), 0x8E);
    assert_eq!(pair.reader.status_line().text(), b"21,UNKNOWN COMMAND");
}

/// What the screen shows then is the line and the code. Cites S 1.3.
#[test]
fn no_tls_firmware_reaches_the_user() {
    let mut pair = started_before(Arm::Two, setup(|firmware| firmware.tls = false));
    assert_eq!(start_up(&mut pair), Err(ErrorCode::CommandUnknown));
    assert_eq!(open(&mut pair), Err(ErrorCode::CommandUnknown));
    assert_eq!(pair.reader.status_line().text(), b"21,UNKNOWN COMMAND");
    assert!(!pair.log.numbers().contains(&0x11), "and nothing is sent");
}

/// Cites ER-10, ER-16, S 4.3.
#[test]
fn ready_bits_polled_before_open() {
    let mut pair = started(Arm::Two);
    pair.engine.infos.extend([0, 3, 3].map(|bits| after(0, Answer::Ready(bits))));
    assert_eq!(open(&mut pair), Ok(()));
    assert_eq!(pair.log.numbers(), [0x23, 0x23, 0x23, 0x23, 0x21], "2..=8 INFOs for 3 s");
    assert!((3 * SECOND..4 * SECOND).contains(&pair.now()), "{}", pair.now());

    let mut pair = started(Arm::Two);
    pair.engine.infos.extend((0..99).map(|_| after(0, Answer::Ready(3))));
    assert_eq!(open(&mut pair), Ok(()), "after 30 s OPEN_TLS itself may refuse");
    let polls = pair.log.count(0x23);
    assert!((28..=31).contains(&polls), "{polls}");
}

/// Cites App. A.
#[test]
fn entry_waits_for_idle() {
    let mut pair = connected(Arm::Two);
    pair.responder.suffer(stray());
    let started = pair.now();
    assert_eq!(poll(&mut pair), PollOutcome::Idle, "the command runs, unrejected");
    let [abort] = pair.log.aborts()[..] else { panic!("one abort: {:?}", pair.log.aborts()) };
    assert!((12 * SECOND..13 * SECOND).contains(&(abort - started)));
    assert_eq!(pair.log.numbers(), [0x10]);
    assert_eq!(pair.log.violations, []);
}

/// Cites ER-11.
#[test]
fn wedge_writes_nothing_more() {
    let mut pair = started(Arm::Two);
    pair.engine.opens.push_back(after(NEVER, Answer::Sent));
    assert_eq!(open(&mut pair), Err(ErrorCode::WaitTimeout));
    assert!(pair.reader.wedged());
    let before = pair.log.writes;
    assert_eq!(close(&mut pair), CloseOutcome::NothingOwned);
    assert_eq!(poll(&mut pair), PollOutcome::End);
    assert_eq!(pair.run(Request::Address), Ok(Done::Address(Err(ErrorCode::WaitTimeout))));
    assert_eq!(start_up(&mut pair), Err(ErrorCode::WaitTimeout));
    assert_eq!(open(&mut pair), Err(ErrorCode::WaitTimeout));
    assert_eq!(pair.log.writes, before);
    assert_eq!(pair.log.violations, []);
}

/// The screen halts on the wedge, which stays: only a reset of the machine clears it.
#[test]
fn wedge_halts_the_ui() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(NEVER, Answer::NothingYet));
    assert_eq!(poll(&mut pair), PollOutcome::Wedged);
    for _ in 0..3 {
        poll(&mut pair);
        assert_eq!(close(&mut pair), CloseOutcome::Wedged);
        assert!(pair.reader.wedged());
        assert_eq!(pair.reader.last_error().byte(), 0x89);
    }
    assert_eq!(pair.log.numbers(), [0x10]);
}

/// Cites ER-11, ER-2.
#[test]
fn sweep_stops_at_a_wedge() {
    let mut pair = connected(Arm::Two);
    restarted(&mut pair);
    pair.engine.closes.push_back(after(NEVER, Answer::Sent));
    assert_eq!(start_up(&mut pair), Err(ErrorCode::WaitTimeout));
    assert_eq!(pair.log.commands, [[0x03, 0x09, 0]]);
    assert_eq!(pair.log.aborts().len(), 2, "the first of all, and that of the CLOSE");
    assert_eq!(pair.log.violations, []);
}
