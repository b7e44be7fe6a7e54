//! A deadline clock that stands still: every wait ends all the same, and says why.
use super::bus::{Bus, Honest, SERVER, connected, run};
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::deadline::STILL_POLLS_MAX;
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::input::Request;
use firmware_core::m3_read::output::{Done, Missing, PollOutcome};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::preset::Arm;
use firmware_core::m3_read::registers::{Register, Status};

/// A bus on which a push is never answered, under a clock that stands still.
struct Silent {
    pushed: bool,
    aborted: bool,
    serves_aborts: bool,
}

impl Bus for Silent {
    fn read(&mut self, _register: Register) -> u8 {
        match (self.pushed, self.aborted && !self.serves_aborts) {
            (true, true) => Status::ABORT_PENDING | 0x10,
            (true, false) if !self.aborted => 0x11,
            (_, _) => 0,
        }
    }

    fn clock(&mut self) -> u16 {
        4_711
    }

    fn write(&mut self, register: Register, value: u8) {
        if register == Register::Control {
            self.pushed |= value == 1;
            self.aborted |= value == 4;
        }
    }
}

/// Status and clock are read in turn, so a wait is twice as many accesses as polls.
const STILL_WAIT: u64 = 2 * STILL_POLLS_MAX as u64;

#[test]
fn a_read_under_a_stopped_clock_is_timed_out_and_names_the_clock() {
    let mut reader = connected(Arm::Two.config());
    let mut bus = Silent { pushed: false, aborted: false, serves_aborts: true };
    let done = run(&mut reader, &mut bus, Request::Poll, STILL_WAIT + 100);
    assert_eq!(done, Some(Done::Poll(PollOutcome::TimedOut(Missing::ClockTick))));
    assert_eq!(reader.last_error(), ErrorCode::WaitTimeout);
    assert_eq!(reader.connection(), Connection::Error);
    assert_eq!(reader.ownership().handle(), Some(7), "S 1.1 M-2: ours to close");
}

/// Cites ER-11.
#[test]
fn an_abort_that_is_not_served_under_a_stopped_clock_is_a_wedge() {
    let mut reader = connected(Arm::Two.config());
    let mut bus = Silent { pushed: false, aborted: false, serves_aborts: false };
    let done = run(&mut reader, &mut bus, Request::Poll, 2 * STILL_WAIT + 100);
    assert_eq!(done, Some(Done::Poll(PollOutcome::Wedged)));
    assert!(reader.wedged());
}

#[test]
fn readiness_polls_under_a_stopped_clock_end_and_open_is_tried() {
    struct NeverReady(Honest);
    impl Bus for NeverReady {
        fn read(&mut self, register: Register) -> u8 {
            let byte = self.0.read(register);
            let info = self.0.pushed.last().is_some_and(|command| command[1] == 0x23);
            if info && register == Register::Response { 0 } else { byte }
        }
        fn clock(&mut self) -> u16 {
            4_711
        }
        fn write(&mut self, register: Register, value: u8) {
            self.0.write(register, value);
        }
    }
    let mut reader = M3Read::new(Arm::One.config()).expect("the arm is sound");
    let mut bus = NeverReady(Honest::default());
    let done = run(&mut reader, &mut bus, Request::Open(SERVER), STILL_WAIT + 1_000);
    assert_eq!(done, Some(Done::Open(Ok(()))));
    let numbers: Vec<u8> = bus.0.pushed.iter().map(|command| command[1]).collect();
    assert_eq!(numbers, [0x23, 0x21]);
}
