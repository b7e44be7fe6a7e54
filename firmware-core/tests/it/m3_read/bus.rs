//! Buses for the client: an honest one, one that answers from lists, and the rules about writes that
//! must hold on both.
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::handshake::{STARTUP_STROBES, Strobe};
use firmware_core::m3_read::input::{Input, OpenRequest, Request, Trust};
use firmware_core::m3_read::output::{Access, Done, Next};
use firmware_core::m3_read::registers::{Register, Status};

/// A server that is trusted by certificate, over TLS 1.3 only.
pub(crate) const SERVER: OpenRequest =
    OpenRequest { port: 443, trust: Trust::Bundle, tls13_only: true, host_bytes: 11 };

/// What a bus answers.
pub(crate) trait Bus {
    /// The byte that a read gives.
    fn read(&mut self, register: Register) -> u8;
    /// The clock reading.
    fn clock(&mut self) -> u16;
    /// A write.
    fn write(&mut self, register: Register, value: u8);
}

/// Runs a request; `None` when it takes more than `accesses_max` accesses. Every rule about writes is
/// asserted on the way.
pub(crate) fn run(
    reader: &mut M3Read,
    bus: &mut impl Bus,
    request: Request,
    accesses_max: u64,
) -> Option<Done> {
    let mut rules = Rules::default();
    let mut input = Input::Request(request);
    for _ in 0..accesses_max {
        let output = reader.step(input);
        assert_eq!(reader.broken_invariant(), None);
        input = match output.next {
            Next::Access(Access::Read(register)) => {
                let byte = bus.read(register);
                rules.read(register, byte);
                Input::Byte(byte)
            }
            Next::Access(Access::Write { register, value }) => {
                rules.write(register, value);
                bus.write(register, value);
                Input::Written
            }
            Next::Access(Access::WriteSource { offset }) => {
                let value = offset.to_le_bytes()[0];
                rules.write(Register::Command, value);
                bus.write(Register::Command, value);
                Input::Written
            }
            Next::Access(Access::Clock) => Input::Clock(bus.clock()),
            Next::Done(done) => return Some(done),
            Next::Unexpected => panic!("the answer was to the access"),
        };
    }
    None
}

/// What the client knows of STATUS, and what it may therefore not write.
#[derive(Default)]
struct Rules {
    seen: Status,
}

impl Rules {
    fn read(&mut self, register: Register, byte: u8) {
        if register == Register::Control {
            self.seen = Status(byte);
        }
    }

    #[track_caller]
    fn write(&mut self, register: Register, value: u8) {
        let has = |strobe: Strobe| value & strobe.bits() != 0;
        assert!(register.takes_writes());
        assert!(!self.seen.abort_pending(), "App. A: nothing is written while bit 2 is set");
        if register == Register::Command {
            return;
        }
        assert!(!(has(Strobe::Abort) && has(Strobe::Push)), "App. A: never ABORT with PUSH");
        assert!(value.is_power_of_two() || value == STARTUP_STROBES, "one strobe a write");
        if has(Strobe::Accept) {
            assert!(!self.seen.data_available(), "ER-5: never accept with unread bytes");
        }
        if has(Strobe::Abort) {
            self.seen.0 |= Status::ABORT_PENDING;
        }
    }
}

/// A bus that does what it should, and opens every session with handle 7.
#[derive(Default)]
pub(crate) struct Honest {
    /// What was written to $DF1D since the last push.
    command: Vec<u8>,
    /// Every command that was pushed.
    pub(crate) pushed: Vec<Vec<u8>>,
    reply: Vec<u8>,
    text: Vec<u8>,
    valid: bool,
    now: u16,
}

impl Bus for Honest {
    fn read(&mut self, register: Register) -> u8 {
        match register {
            Register::BusId => 0,
            Register::Control if !self.valid => 0,
            Register::Control => {
                let data = if self.reply.is_empty() { 0 } else { Status::DATA_AVAILABLE };
                let text = if self.text.is_empty() { 0 } else { Status::TEXT_AVAILABLE };
                Status::REPLY_VALID | data | text
            }
            Register::Command => 0xC9,
            Register::Response => self.reply.remove(0),
            Register::Text => self.text.remove(0),
        }
    }

    fn clock(&mut self) -> u16 {
        self.now = self.now.wrapping_sub(1);
        self.now
    }

    fn write(&mut self, register: Register, value: u8) {
        match (register, value) {
            (Register::Command, byte) => self.command.push(byte),
            (_, 0x01) => {
                self.pushed.push(core::mem::take(&mut self.command));
                let number = self.pushed.last().and_then(|command| command.get(1));
                (self.reply, self.text) = match number {
                    Some(0x21) => (vec![7, 4, 3, 1, 0x13, 0x1D, 0, 0], b"00,OK".to_vec()),
                    Some(0x23) => {
                        let record = [1, 2, 0, 7, 7, 3, 1, 0x35, 1, 255, 255, 255, 0, 0, 0, 0];
                        (record.to_vec(), b"00,OK".to_vec())
                    }
                    Some(0x10) => (vec![0xFF, 0xFF], b"02,NO DATA: 11".to_vec()),
                    Some(0x11) => (self.written(), b"00,OK".to_vec()),
                    Some(0x05) => (vec![192, 0, 2, 9, 0, 0, 0, 0, 0, 0, 0, 0], b"00,OK".to_vec()),
                    _ => (Vec::new(), b"00,OK".to_vec()),
                };
                self.valid = true;
            }
            (_, 0x02) => self.valid = false,
            _ => {}
        }
    }
}

impl Honest {
    fn written(&self) -> Vec<u8> {
        let bytes = self.pushed.last().map_or(0, |command| command.len() - 3);
        u16::try_from(bytes).expect("a command is shorter").to_le_bytes().to_vec()
    }
}

/// A client with an open session on an honest bus.
#[track_caller]
pub(crate) fn connected(config: Config) -> M3Read {
    let mut reader = M3Read::new(config).expect("the configuration is sound");
    let opened = run(&mut reader, &mut Honest::default(), Request::Open(SERVER), 10_000);
    assert_eq!(opened, Some(Done::Open(Ok(()))));
    reader
}
