//! Property: whatever the bus answers, every request ends, no rule about writes is broken, and a
//! wedged client writes nothing more.
use super::bus::{Bus, SERVER, connected, run};
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::input::Request;
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::preset::Arm;
use firmware_core::m3_read::registers::Register;
use proptest::prelude::*;

/// Accesses that any of the requests below is given. The longest are the startup with its 17 commands
/// and an Open with its readiness polls; a wait with a clock that stands still takes 20 454.
const ACCESSES_MAX: u64 = 3_000_000;

/// A bus that answers from lists, round and round.
#[derive(Clone, Debug)]
struct Arbitrary {
    status: Vec<u8>,
    response: Vec<u8>,
    text: Vec<u8>,
    id: u8,
    clock_steps: Vec<u16>,
    reads: usize,
    now: u16,
    writes: u64,
}

impl Arbitrary {
    fn turn(&mut self, length: usize) -> usize {
        self.reads = self.reads.wrapping_add(1);
        self.reads % length
    }
}

impl Bus for Arbitrary {
    fn read(&mut self, register: Register) -> u8 {
        match register {
            Register::BusId => 0,
            Register::Control => {
                let turn = self.turn(self.status.len());
                self.status[turn]
            }
            Register::Command => self.id,
            Register::Response => {
                let turn = self.turn(self.response.len());
                self.response[turn]
            }
            Register::Text => {
                let turn = self.turn(self.text.len());
                self.text[turn]
            }
        }
    }

    fn clock(&mut self) -> u16 {
        let turn = self.turn(self.clock_steps.len());
        self.now = self.now.wrapping_sub(self.clock_steps[turn]);
        self.now
    }

    fn write(&mut self, _register: Register, _value: u8) {
        self.writes += 1;
    }
}

/// Half of the samples are ones that a sound interface shows, so that replies get anywhere at all.
fn status() -> impl Strategy<Value = u8> {
    let plausible = [0x00, 0x10, 0x11, 0x20, 0x30, 0x60, 0xA0, 0xB0, 0xE0, 0x12, 0x04, 0x28];
    prop_oneof![prop::sample::select(plausible.to_vec()), any::<u8>()]
}

fn bytes() -> impl Strategy<Value = u8> {
    prop_oneof![prop::sample::select(vec![0x00, 0xFF, 0x01, 0x03, 0x04, 0x05, 0x07]), any::<u8>()]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let lines = ["00,OK", "01,X", "02,NO DATA: 11", "05,X", "14,TLS ALERT RECEIVED: 40", "21,X"];
    prop_oneof![
        prop::sample::select(lines.map(|line| line.as_bytes().to_vec()).to_vec()),
        prop::collection::vec(any::<u8>(), 1..20),
    ]
}

/// Clocks that run, jump, run backwards, jump to and fro, or stand still.
fn clock_steps() -> impl Strategy<Value = Vec<u16>> {
    prop_oneof![
        Just(vec![0]),
        Just(vec![7, 7_u16.wrapping_neg()]),
        prop::collection::vec(1_u16..50, 1..5),
        prop::collection::vec(any::<u16>(), 1..9),
    ]
}

prop_compose! {
    fn bus()(
        status in prop::collection::vec(status(), 1..40),
        response in prop::collection::vec(bytes(), 1..40),
        text in text(),
        id in prop_oneof![9 => Just(0xC9_u8), 1 => any::<u8>()],
        clock_steps in clock_steps(),
    ) -> Arbitrary {
        Arbitrary { status, response, text, id, clock_steps, reads: 0, now: 0, writes: 0 }
    }
}

fn requests() -> impl Strategy<Value = Vec<Request>> {
    let request = prop_oneof![
        6 => Just(Request::Poll),
        2 => (0_u16..2_000).prop_map(|length| Request::Write { length }),
        2 => Just(Request::Close),
        1 => Just(Request::Startup),
        1 => Just(Request::Address),
        1 => Just(Request::Open(SERVER)),
        2 => (0_u16..5_000).prop_map(|count| Request::Consume { count }),
    ];
    prop::collection::vec(request, 1..6)
}

fn runs_to_the_end(mut reader: M3Read, mut bus: Arbitrary, requests: &[Request]) {
    for &request in requests {
        let (wedged, before) = (reader.wedged(), bus.writes);
        let done = run(&mut reader, &mut bus, request, ACCESSES_MAX);
        assert!(done.is_some(), "{request:?} does not end");
        assert!(!reader.busy());
        if wedged {
            assert_eq!(bus.writes, before, "ER-11: once wedged, nothing is written");
        }
        if reader.connection() == Connection::Connected {
            assert!(reader.ownership().handle().is_some());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Cites App. A, ER-5, ER-11.
    #[test]
    fn a_connected_client_survives_any_bus(
        arm in prop::sample::select(Arm::ALL.to_vec()),
        bus in bus(),
        requests in requests(),
    ) {
        runs_to_the_end(connected(arm.config()), bus, &requests);
    }

    /// Cites App. A, ER-2, ER-11.
    #[test]
    fn a_client_that_starts_survives_any_bus(
        arm in prop::sample::select(Arm::ALL.to_vec()),
        bus in bus(),
        requests in requests(),
    ) {
        let reader = M3Read::new(arm.config()).expect("the arms are sound");
        let requests = [&[Request::Startup, Request::Open(SERVER)], requests.as_slice()].concat();
        runs_to_the_end(reader, bus, &requests);
    }
}
