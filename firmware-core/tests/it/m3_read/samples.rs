//! Samples of STATUS that come at the worst moment: each decision rests on one of them, and on that
//! one alone.
use super::bus::{Bus, connected, run};
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::copy::Hole;
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::input::Request;
use firmware_core::m3_read::output::{Done, Missing, PollOutcome};
use firmware_core::m3_read::preset::Arm;
use firmware_core::m3_read::registers::Register;

/// A bus with a list of samples, the last of which stays, and a response that counts up.
struct Samples {
    status: Vec<u8>,
    response: Vec<u8>,
    controls: Vec<u8>,
    now: u16,
}

impl Samples {
    /// An interface that is idle, replies, and is looked at again; then these samples.
    fn replying(response: &[u8], then: &[u8]) -> Self {
        let status = [&[0x00, 0xA0, 0xA0], then].concat();
        Self { status, response: response.to_vec(), controls: Vec::new(), now: 0 }
    }
}

impl Bus for Samples {
    fn read(&mut self, register: Register) -> u8 {
        let list =
            if register == Register::Control { &mut self.status } else { &mut self.response };
        if list.len() > 1 { list.remove(0) } else { list[0] }
    }

    fn clock(&mut self) -> u16 {
        self.now = self.now.wrapping_sub(1);
        self.now
    }

    fn write(&mut self, register: Register, value: u8) {
        if register == Register::Control {
            self.controls.push(value);
        }
    }
}

/// A client whose first block holds one byte and whose request is two.
fn tiny() -> M3Read {
    connected(Config { request_max: 2, first_block_bytes: 1, ..Arm::Two.config() })
}

#[track_caller]
fn reading(mut bus: Samples, outcome: PollOutcome, code: ErrorCode, controls: &[u8]) -> M3Read {
    let mut reader = tiny();
    assert_eq!(run(&mut reader, &mut bus, Request::Poll, 1_000), Some(Done::Poll(outcome)));
    assert_eq!(reader.last_error(), code);
    assert_eq!(bus.controls, controls);
    reader
}

const CLEAR_AND_PUSH: [u8; 2] = [0x08, 0x01];

/// Cites App. A.
#[test]
fn an_abort_by_someone_else_is_waited_for_and_none_is_written() {
    let lost = PollOutcome::TimedOut(Missing::Reply);
    // First look, two header bytes, one payload byte, end, state; and bit 2 where the accept would be.
    let before_accept = [0xA0, 0xA0, 0xA0, 0xA0, 0x20, 0x20, 0x24, 0x24, 0x24, 0x00];
    let bus = Samples::replying(&[1, 0, b'x'], &before_accept);
    let reader = reading(bus, lost, ErrorCode::WaitTimeout, &CLEAR_AND_PUSH);
    assert_eq!(reader.ring().filled(), 1, "what was copied stays visible");

    // Bit 2 on the sample that would take the continuation.
    let before_continuation = [0xA0, 0xA0, 0xA0, 0xA0, 0x30, 0x34, 0x34, 0x00];
    let bus = Samples::replying(&[2, 0, b'x'], &before_continuation);
    reading(bus, lost, ErrorCode::WaitTimeout, &CLEAR_AND_PUSH);

    // Bit 2 on the second look after the wait.
    let mut bus = Samples::replying(&[1, 0, b'x'], &[0x24, 0x00]);
    bus.status[2] = 0x24;
    reading(bus, lost, ErrorCode::WaitTimeout, &CLEAR_AND_PUSH);
}

/// Cites ER-5.
#[test]
fn bytes_that_appear_in_a_block_that_had_ended_are_a_hole() {
    let hole = PollOutcome::Hole(Hole::BytesAfterEnd);
    let late = [0xA0, 0xA0, 0xA0, 0xA0, 0x20, 0x20, 0xA0, 0x00];
    let bus = Samples::replying(&[1, 0, b'x'], &late);
    reading(bus, hole, ErrorCode::BadReadHeader, &[0x08, 0x01, 0x04]);
}

/// The published two-sample race: the bytes that a second sample shows are copied, not dropped.
#[test]
fn bytes_that_the_second_sample_of_a_block_end_shows_are_still_copied() {
    let late = [0xA0, 0xA0, 0xA0, 0xA0, 0x20, 0xA0, 0x20, 0x20, 0x20];
    let bus = Samples::replying(&[2, 0, b'x', b'y'], &late);
    let reader = reading(bus, PollOutcome::Data(2), ErrorCode::Ok, &[0x08, 0x01, 0x02]);
    assert_eq!(reader.ring().filled(), 2);
}

/// Cites ER-5: more is announced only on the last sample before the accept.
#[test]
fn a_block_that_turns_out_to_announce_more_is_not_accepted() {
    let hole = PollOutcome::Hole(Hole::UnowedMore);
    let more = [0xA0, 0xA0, 0xA0, 0xA0, 0x20, 0x20, 0x30, 0x00];
    let bus = Samples::replying(&[1, 0, b'x'], &more);
    reading(bus, hole, ErrorCode::BadReadHeader, &[0x08, 0x01, 0x04]);
}

/// Cites ER-5: the sample that is taken for the state decides, whatever a later one shows.
#[test]
fn more_that_one_sample_announced_is_not_accepted_on_the_word_of_the_next() {
    let hole = PollOutcome::Hole(Hole::UnowedMore);
    let more = [0xA0, 0xA0, 0xA0, 0xA0, 0x20, 0x30, 0x20, 0x20];
    let bus = Samples::replying(&[1, 0, b'x'], &more);
    reading(bus, hole, ErrorCode::BadReadHeader, &[0x08, 0x01, 0x04]);
}

#[test]
fn a_refused_push_is_seen_on_the_second_look_and_cleared() {
    let mut bus = Samples::replying(&[1, 0], &[]);
    bus.status = vec![0x00, 0x28, 0x28];
    reading(bus, PollOutcome::Rejected, ErrorCode::ReadFailed, &[0x08, 0x01, 0x08]);
}

/// Status text without end, as no hardware has: 255 bytes are read, and the block is given back.
#[test]
fn a_status_text_without_end_is_read_up_to_255_bytes() {
    let endless = [0xA0, 0xA0, 0xA0, 0xA0, 0x20, 0x20, 0x60];
    let bus = Samples::replying(&[1, 0, b'x', b'0'], &endless);
    let reader = reading(bus, PollOutcome::Data(1), ErrorCode::Ok, &[0x08, 0x01, 0x02]);
    assert_eq!((reader.status_line().read(), reader.status_line().text().len()), (255, 40));
}
