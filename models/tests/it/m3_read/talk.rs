//! A small vocabulary for conversations between client and firmware.
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::input::{OpenRequest, Request, Trust};
use firmware_core::m3_read::output::{CloseOutcome, Done, PollOutcome, WriteOutcome};
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::pair::{Log, Pair};
use models::m3_read::responder::reply::Block;
use models::m3_read::responder::script::{Engine, Script, Timed};
use models::m3_read::responder::{Fault, Setup};

/// One second in units of the deadline clock.
pub(crate) const SECOND: u32 = 100;
/// Longer than anything.
pub(crate) const NEVER: u32 = u32::MAX;
/// The host that every test opens.
pub(crate) const HOST: &[u8] = b"example.org";
/// Its request: by certificate, TLS 1.3 only.
pub(crate) const SERVER: OpenRequest =
    OpenRequest { port: 443, trust: Trust::Bundle, tls13_only: true, host_bytes: 11 };

/// A client that has just been started, before the measured firmware.
pub(crate) fn started(arm: Arm) -> Pair<Script> {
    started_before(arm, Setup::m3())
}

/// A client that has just been started, before this firmware.
pub(crate) fn started_before(arm: Arm, setup: Setup) -> Pair<Script> {
    with_engine(arm.config(), setup, Script::default())
}

/// A client of this configuration before this firmware and engine.
pub(crate) fn with_engine<E: Engine>(config: Config, setup: Setup, engine: E) -> Pair<E> {
    let mut pair = Pair::new(config, setup, engine).expect("arm and set-up are sound");
    pair.set_source(HOST);
    pair
}

/// A connected client, with nothing logged yet.
pub(crate) fn connected(arm: Arm) -> Pair<Script> {
    let mut pair = started(arm);
    assert_eq!(open(&mut pair), Ok(()));
    pair.log = Log::default();
    pair
}

/// The same client after a restart of its program: the firmware keeps what it has.
pub(crate) fn restarted<E>(pair: &mut Pair<E>) {
    pair.reader = M3Read::new(*pair.reader.config()).expect("it was sound before");
    pair.log = Log::default();
}

#[track_caller]
pub(crate) fn open<E: Engine>(pair: &mut Pair<E>) -> Result<(), ErrorCode> {
    match pair.run(Request::Open(SERVER)) {
        Ok(Done::Open(verdict)) => verdict,
        other => panic!("an Open ends as one: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn start_up<E: Engine>(pair: &mut Pair<E>) -> Result<(), ErrorCode> {
    match pair.run(Request::Startup) {
        Ok(Done::Startup(verdict)) => verdict,
        other => panic!("a startup ends as one: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn poll<E: Engine>(pair: &mut Pair<E>) -> PollOutcome {
    match pair.run(Request::Poll) {
        Ok(Done::Poll(outcome)) => outcome,
        other => panic!("a poll ends as one: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn close<E: Engine>(pair: &mut Pair<E>) -> CloseOutcome {
    match pair.run(Request::Close) {
        Ok(Done::Close(outcome)) => outcome,
        other => panic!("a close ends as one: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn write<E: Engine>(pair: &mut Pair<E>, bytes: &[u8]) -> WriteOutcome {
    pair.set_source(bytes);
    let length = u16::try_from(bytes.len()).expect("the C64 has 64 KiB");
    match pair.run(Request::Write { length }) {
        Ok(Done::Write(outcome)) => outcome,
        other => panic!("a write ends as one: {other:?}"),
    }
}

/// This answer after so many clock units.
pub(crate) fn after(units: u32, answer: Answer) -> Timed {
    Timed { after: units, answer }
}

/// A reply of exactly these blocks: response bytes, status text, whether more is announced.
pub(crate) fn forced(blocks: &[(&[u8], &str, bool)]) -> Answer {
    let block = |&(data, text, more): &(&[u8], &str, bool)| {
        Block::try_new(data.to_vec(), text.into(), more).expect("it fits the queues")
    };
    Answer::Forced(blocks.iter().map(block).collect())
}

/// A header and `payload` bytes that count up from 0, modulo 251.
pub(crate) fn counted(header: u16, payload: u16) -> Vec<u8> {
    header.to_le_bytes().into_iter().chain(stream(0, payload)).collect()
}

/// `count` bytes of the counting stream from `from` on.
pub(crate) fn stream(from: u16, count: u16) -> Vec<u8> {
    (from..from + count).map(|at| (at % 251).to_le_bytes()[0]).collect()
}

/// An old reply that makes the next push fail.
pub(crate) fn stray() -> Fault {
    let block = Block::try_new(vec![1, 2, 3], b"00,OK".to_vec(), false).expect("it fits");
    Fault::StrayReply(block)
}

/// What an ended connection leaves: the code, and whether a CLOSE goes out.
#[track_caller]
pub(crate) fn ends<E: Engine>(pair: &mut Pair<E>, code: u8, closes: bool) {
    assert_eq!(pair.reader.last_error().byte(), code, "net_last_error");
    let before = pair.log.count(0x09);
    close(pair);
    let after = pair.log.count(0x09);
    assert_eq!(after - before, usize::from(closes), "CLOSE");
    assert_eq!(pair.log.violations, []);
}
