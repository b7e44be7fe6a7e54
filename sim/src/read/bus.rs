//! The bus between client and responder under time: every access costs what it costs, the Nios and
//! the engine get theirs in between, and every rule about writes is watched.
//!
//! ```text
//!   access ─► C64 time ─► what the Nios and the engine did until then ─► register ─► fence
//! ```
use super::c64::{BadMachine, C64};
use super::engine::{Answered, Engine};
use super::parameters::Parameters;
use super::reply::{Arrival, Course};
use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::handshake::{STARTUP_STROBES, State, Strobe};
use firmware_core::m3_read::input::Input;
use firmware_core::m3_read::output::Access;
use firmware_core::m3_read::registers::{Register, Status};
use firmware_core::time::{Duration, Instant};
use models::m3_read::responder::pair::Violation;
use models::m3_read::responder::task::Work;
use models::m3_read::responder::{Fault, Responder, Setup, SetupError};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

/// Reads of the CIA for one reading of the deadline clock: high, low, high again.
const CLOCK_READS: u64 = 3;

/// The number of the command READ.
const READ: u8 = 0x10;
/// The number of the command CLOSE.
const CLOSE: u8 = 0x09;

/// What was counted on the bus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) pushes: u64,
    pub(super) pushes_rejected: u64,
    pub(super) closes: u64,
    pub(super) aborts: u64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) violations: Vec<Violation>,
}

/// The bus and everything on it but the client.
#[derive(Debug)]
pub(super) struct Bus {
    pub(super) c64: C64,
    pub(super) counts: Counts,
    config: Config,
    responder: Responder,
    engine: Engine,
    source: Vec<u8>,
    service: Duration,
    /// When the Nios takes up the flags that were raised.
    nios_at: Option<Instant>,
    answered: Option<Answered>,
    /// The cycle of whatever comes first of the two.
    due: u64,
    pushed_at: Option<Instant>,
    /// Every READ that was pushed: when, and how long until a look showed its block.
    pub(super) read_pushes: Vec<(Instant, Duration)>,
    digest: SipHasher13,
    late: Option<Late>,
    continuations: u32,
    clock_stands_still: bool,
    /// What becomes of the blocks of the reply that is on its way.
    course: Course,
    /// After how many bytes read of the block that is shown the firmware resets the interface.
    reset_at: Option<u16>,
}

/// What goes wrong on the bus, by the scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Faults {
    pub(super) late: Option<Late>,
    pub(super) clock_stands_still: bool,
}

/// A continuation that the Nios is late with: until then it looks at nothing else either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Late {
    /// Which continuation of the run, counted from 1.
    pub continuation: u32,
    /// How late.
    pub by: Duration,
}

/// Why there is no bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// The machine's figures.
    #[error(transparent)]
    Machine(#[from] BadMachine),
    /// The firmware's.
    #[error("{0}")]
    Setup(SetupError),
}

impl Bus {
    pub(super) fn new(
        config: Config,
        parameters: &Parameters,
        engine: Engine,
        faults: Faults,
    ) -> Result<Self, BusError> {
        Ok(Self {
            c64: C64::new(parameters)?,
            counts: Counts::default(),
            config,
            responder: Responder::new(Setup::m3()).map_err(BusError::Setup)?,
            engine,
            source: Vec::new(),
            service: Duration::from_micros(parameters.nios_us),
            nios_at: None,
            answered: None,
            due: u64::MAX,
            pushed_at: None,
            read_pushes: Vec::new(),
            digest: SipHasher13::new_with_keys(0x7072_6566, 0x6d33_7264),
            late: faults.late,
            continuations: 0,
            clock_stands_still: faults.clock_stands_still,
            course: Course::default(),
            reset_at: None,
        })
    }

    /// The bytes that a host name or a request is taken from.
    pub(super) fn set_source(&mut self, bytes: &[u8]) {
        self.source = bytes.to_vec();
    }

    /// Makes an access in its time, and answers it.
    pub(super) fn access(&mut self, access: Access) -> Input {
        let input = match access {
            Access::Clock => {
                (0..CLOCK_READS).for_each(|_| self.c64.access());
                self.counts.reads += CLOCK_READS;
                Input::Clock(if self.clock_stands_still { 0 } else { self.c64.deadline_clock() })
            }
            Access::Read(register) => {
                self.c64.access();
                self.counts.reads += 1;
                Input::Byte(self.read(register))
            }
            Access::Write { register, value } => self.write(register, value),
            Access::WriteSource { offset } => {
                let value = self.source.get(usize::from(offset)).copied().unwrap_or(0);
                self.write(Register::Command, value)
            }
        };
        if self.config.fence_after(access) {
            self.c64.fence();
        }
        input
    }

    fn read(&mut self, register: Register) -> u8 {
        self.catch_up();
        let byte = self.responder.read(register);
        if register == Register::Control
            && Status(byte).reply_valid()
            && let Some(pushed_at) = self.pushed_at.take()
        {
            self.read_pushes.push((pushed_at, self.c64.now().since(pushed_at)));
        }
        if register == Register::Response {
            self.reset_if_due();
        }
        byte
    }

    fn write(&mut self, register: Register, value: u8) -> Input {
        self.c64.access();
        self.counts.writes += 1;
        self.catch_up();
        self.watch(register, value);
        let arrival = self.arrival(register, value);
        self.responder.write(register, value);
        let late = match arrival {
            Arrival::After(late) => late,
            Arrival::Never => {
                self.responder.suffer(Fault::AcceptLost);
                Duration::ZERO
            }
        };
        if register == Register::Control && self.responder.fpga().flags() != 0 {
            let now = self.c64.now();
            self.nios_at.get_or_insert(now.after(self.service).after(late));
            self.schedule();
        }
        Input::Written
    }

    /// How late the Nios is with what this write asks for.
    fn arrival(&mut self, register: Register, value: u8) -> Arrival {
        let accepts = register == Register::Control && value & Strobe::Accept.bits() != 0;
        if !accepts || self.responder.fpga().state() != State::DataMore {
            return Arrival::ON_TIME;
        }
        self.continuations += 1;
        if let Some(arrival) = self.course.continuations.pop_front() {
            return arrival;
        }
        let late = self.late.filter(|late| late.continuation == self.continuations);
        late.map_or(Arrival::ON_TIME, |late| Arrival::After(late.by))
    }

    /// Resets the interface when as much of the block has been read as the scenario says.
    fn reset_if_due(&mut self) {
        let read = self.responder.fpga().response_at();
        if self.reset_at.take_if(|at| read >= *at).is_some() {
            self.responder.suffer(Fault::Reset);
            self.course = Course::default();
        }
    }

    /// Notes what a write means, and which rules it breaks.
    fn watch(&mut self, register: Register, value: u8) {
        let (state, status) = (self.responder.fpga().state(), self.responder.fpga().status());
        let startup = register == Register::Control && value == STARTUP_STROBES;
        if status.abort_pending() && !startup {
            self.counts.violations.push(Violation::WroteWhileAborting(value));
        }
        if register != Register::Control {
            return;
        }
        let has = |strobe: Strobe| value & strobe.bits() != 0;
        let now = self.c64.now();
        self.note(u64::from(value), now.as_nanos());
        if has(Strobe::Push) {
            self.counts.pushes += 1;
            let number = self.responder.fpga().command().get(1).copied();
            self.pushed_at = (number == Some(READ)).then_some(now);
            self.counts.closes += u64::from(number == Some(CLOSE));
            if state != State::Idle {
                self.counts.pushes_rejected += 1;
            }
            if has(Strobe::Abort) {
                self.counts.violations.push(Violation::AbortWithPush);
            }
        }
        if has(Strobe::Abort) && !startup {
            self.counts.aborts += 1;
        }
        if has(Strobe::Accept) && status.data_available() {
            self.counts.violations.push(Violation::AcceptedUnread);
        }
    }

    /// Lets the Nios and the engine do what was due until now, each at its own time.
    fn catch_up(&mut self) {
        while self.c64.cycles() >= self.due {
            let answers_first = match (&self.answered, self.nios_at) {
                (Some(answered), Some(nios_at)) => answered.at <= nios_at,
                (Some(_), None) => true,
                (None, _) => false,
            };
            let at = if answers_first {
                let Some(Answered { at, answer, course }) = self.answered.take() else { return };
                self.responder.answer(answer);
                self.course = course;
                at
            } else {
                let Some(at) = self.nios_at.take() else { return };
                at
            };
            self.work(at);
        }
    }

    /// The Nios works off what it has, and asks the engine if it must.
    fn work(&mut self, at: Instant) {
        while let Some(work) = self.responder.work() {
            match work {
                Work::Reset => (self.course, self.reset_at) = (Course::default(), None),
                Work::Shown { .. } | Work::NextBlock { .. } => {
                    self.reset_at = self.course.resets.pop_front().flatten();
                    self.reset_if_due();
                }
                Work::Interrupt(_)
                | Work::AcceptTaken
                | Work::Parsed { .. }
                | Work::Answered
                | Work::CommandTaken => {}
            }
        }
        if self.answered.is_none()
            && let Some(ask) = self.responder.asks()
        {
            self.answered = Some(self.engine.answer(ask, at));
        }
        self.schedule();
    }

    fn schedule(&mut self) {
        let answered = self.answered.as_ref().map(|answered| answered.at);
        let first = [answered, self.nios_at].into_iter().flatten().min();
        self.due = first.map_or(u64::MAX, |at| self.c64.cycles_at(at));
    }

    /// Adds to the digest.
    pub(super) fn note(&mut self, what: u64, when: u64) {
        self.digest.write(&what.to_le_bytes());
        self.digest.write(&when.to_le_bytes());
    }

    /// 128 bits over everything noted.
    pub(super) fn digest(&self) -> u128 {
        self.digest.finish128().as_u128()
    }
}
