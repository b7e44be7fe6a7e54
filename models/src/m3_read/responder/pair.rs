//! The client and the responder on one bus, with the clock between them: each access of the client is
//! one step of both, and every rule about writes is watched.
//!
//! ```text
//!   M3Read ──Access──► Pair ──► Responder        Pair also holds: ring bytes, the buffer to send,
//!      ◄────answer──────┘                        the clock, the engine, what was written
//! ```
//!
//! The clock moves by [`Timing::units_per_reading`] with each reading, and by nothing else: in such a
//! world a wait of 12 s is as many steps as one wants it to be.
use super::network::Ask;
use super::script::Engine;
use super::task::Work;
use super::{Fault, Responder, Setup, SetupError};
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::{Config, ConfigError};
use firmware_core::m3_read::handshake::{STARTUP_STROBES, State, Strobe};
use firmware_core::m3_read::input::{Input, Request};
use firmware_core::m3_read::output::{Access, Done, Next};
use firmware_core::m3_read::registers::{Register, Status};
use firmware_core::m3_read::ring::RING_BYTES;
use std::collections::VecDeque;

/// How time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timing {
    /// Clock units from one reading of the clock to the next; 0 is a clock that stands still.
    pub units_per_reading: u16,
    /// Accesses of the client between two small steps of the Nios; 0 lets it finish at once.
    pub accesses_per_work: u32,
    /// Whether the first look at STATUS after a block was validated falls on the same FPGA clock.
    pub looks_on_the_same_clock: bool,
}

impl Timing {
    /// One unit with each reading, and a Nios without delay.
    pub const PROMPT: Self =
        Self { units_per_reading: 1, accesses_per_work: 0, looks_on_the_same_clock: false };
}

/// What happens to the blocks of the next replies, and to aborts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Course {
    /// One per accept of a Data More block; then the next block comes at once.
    pub continuations: VecDeque<Continuation>,
    /// Faults, each just before a push; `None` is a push without.
    pub before_pushes: VecDeque<Option<Fault>>,
    /// One per command: how many clock units the Nios does nothing after it has read it; then none.
    pub stalls: VecDeque<u32>,
    /// Resets of the interface by the firmware: after so many bytes of each block shown.
    pub resets: VecDeque<Option<u16>>,
    /// Clock units from an abort until the Nios looks at it; `u32::MAX` is never.
    pub aborts_served_after: u32,
}

/// What becomes of a continuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Continuation {
    /// It comes this many clock units after the accept.
    After(u32),
    /// It never comes.
    Lost,
}

/// A rule about writes that the client broke; the Python model of the published client records the
/// same six.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// This byte was written to $DF1C or $DF1D while an abort was pending.
    WroteWhileAborting(u8),
    /// A push and an abort in one write.
    AbortWithPush,
    /// A block was accepted with bytes left in it.
    AcceptedUnread,
    /// A command named a handle that is not the program's.
    NamedForeignHandle(Vec<u8>),
    /// INFO of another length than three.
    InfoLength(usize),
    /// RELEASE of another length than two.
    ReleaseLength(usize),
}

/// What was written, in order, and how often each register was accessed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Log {
    /// Every write to $DF1C with the clock at that moment.
    pub controls: Vec<(u32, u8)>,
    /// Every command that was pushed and not refused.
    pub commands: Vec<Vec<u8>>,
    /// The state on which each accept was written.
    pub accepts: Vec<State>,
    /// Broken rules.
    pub violations: Vec<Violation>,
    /// Reads of $DF1B..$DF1F.
    pub reads: [u64; 5],
    /// Writes of $DF1B..$DF1F.
    pub writes: [u64; 5],
    /// Readings of the deadline clock.
    pub clock_readings: u64,
}

impl Log {
    /// Register accesses and clock readings in all.
    pub fn accesses(&self) -> u64 {
        self.reads.iter().chain(&self.writes).sum::<u64>() + self.clock_readings
    }

    /// The clock at each abort.
    pub fn aborts(&self) -> Vec<u32> {
        let abort = |&&(_, value): &&(u32, u8)| value & Strobe::Abort.bits() != 0;
        self.controls.iter().filter(abort).map(|&(at, _)| at).collect()
    }

    /// How many commands of this number (byte 1) were pushed.
    pub fn count(&self, number: u8) -> usize {
        self.commands.iter().filter(|command| command.get(1) == Some(&number)).count()
    }

    /// The command numbers (byte 1) of the commands that were pushed.
    pub fn numbers(&self) -> Vec<u8> {
        self.commands.iter().filter_map(|command| command.get(1).copied()).collect()
    }
}

/// Client and responder on one bus.
#[derive(Clone, Debug)]
pub struct Pair<E> {
    /// The client.
    pub reader: M3Read,
    /// The firmware.
    pub responder: Responder,
    /// Everything behind it.
    pub engine: E,
    /// How time passes.
    pub timing: Timing,
    /// What goes wrong.
    pub course: Course,
    /// What was written.
    pub log: Log,
    ring: Vec<u8>,
    source: Vec<u8>,
    now: u32,
    asked_at: Option<u32>,
    held_until: Option<u32>,
    since_work: u32,
    just_shown: bool,
    reset_at: Option<u16>,
}

/// A request that did not end within the accesses it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endless;

/// Accesses that one request is given: more than the longest one there is takes.
pub const ACCESSES_MAX: u64 = 20_000_000;

/// Why there is no pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairError {
    /// The client's configuration.
    Config(ConfigError),
    /// The responder's set-up.
    Setup(SetupError),
}

impl<E: Engine> Pair<E> {
    /// A client that has just been started, before a responder that has just been switched on.
    ///
    /// # Errors
    /// The first rule that `config` or `setup` breaks.
    pub fn new(config: Config, setup: Setup, engine: E) -> Result<Self, PairError> {
        Ok(Self {
            reader: M3Read::new(config).map_err(PairError::Config)?,
            responder: Responder::new(setup).map_err(PairError::Setup)?,
            engine,
            timing: Timing::PROMPT,
            course: Course::default(),
            log: Log::default(),
            ring: vec![0; usize::from(RING_BYTES)],
            source: Vec::new(),
            now: 0,
            asked_at: None,
            held_until: None,
            since_work: 0,
            just_shown: false,
            reset_at: None,
        })
    }

    /// Clock units since the start.
    pub fn now(&self) -> u32 {
        self.now
    }

    /// Lets time pass without an access.
    pub fn pass(&mut self, units: u32) {
        self.now = self.now.saturating_add(units);
        self.let_work();
    }

    /// The bytes that a host name or a buffer to send is taken from.
    pub fn set_source(&mut self, bytes: &[u8]) {
        self.source = bytes.to_vec();
    }

    /// The bytes in the ring, oldest first.
    pub fn unread(&self) -> Vec<u8> {
        let (head, filled) = (self.reader.ring().head(), self.reader.ring().filled());
        (0..filled).map(|index| self.ring[usize::from((head + index) % RING_BYTES)]).collect()
    }

    /// Takes every byte out of the ring.
    pub fn consume(&mut self) -> Vec<u8> {
        let bytes = self.unread();
        let count = self.reader.ring().filled();
        let _ = self.reader.step(Input::Request(Request::Consume { count }));
        bytes
    }

    /// Runs a request to its end.
    ///
    /// # Errors
    /// When it takes more than [`ACCESSES_MAX`] accesses.
    pub fn run(&mut self, request: Request) -> Result<Done, Endless> {
        self.run_within(request, ACCESSES_MAX)
    }

    /// Runs a request for at most `accesses_max` accesses.
    ///
    /// # Errors
    /// When it takes more; the client is then in the middle of it.
    pub fn run_within(&mut self, request: Request, accesses_max: u64) -> Result<Done, Endless> {
        let mut input = Input::Request(request);
        for _ in 0..=accesses_max {
            let output = self.reader.step(input);
            if let Some(store) = output.store {
                self.ring[usize::from(store.at)] = store.byte;
            }
            input = match output.next {
                Next::Access(access) => self.access(access),
                Next::Done(done) => return Ok(done),
                Next::Unexpected => return Err(Endless),
            };
        }
        Err(Endless)
    }

    fn access(&mut self, access: Access) -> Input {
        match access {
            Access::Read(register) => {
                self.log.reads[index(register)] += 1;
                Input::Byte(self.read(register))
            }
            Access::Write { register, value } => {
                self.write(register, value);
                Input::Written
            }
            Access::WriteSource { offset } => {
                let value = self.source.get(usize::from(offset)).copied().unwrap_or(0);
                self.write(Register::Command, value);
                Input::Written
            }
            Access::Clock => {
                self.log.clock_readings += 1;
                self.now = self.now.saturating_add(u32::from(self.timing.units_per_reading));
                self.let_work();
                let [low, high, ..] = self.now.to_le_bytes();
                Input::Clock(!u16::from_le_bytes([low, high]))
            }
        }
    }

    fn read(&mut self, register: Register) -> u8 {
        let same_clock = self.just_shown && self.timing.looks_on_the_same_clock;
        self.just_shown = false;
        let byte = if same_clock {
            self.responder.read_on_the_same_clock(register)
        } else {
            self.responder.read(register)
        };
        if register == Register::Response {
            self.reset_if_due();
        }
        if self.timing.accesses_per_work > 0 {
            self.let_work();
        }
        byte
    }

    fn write(&mut self, register: Register, value: u8) {
        self.log.writes[index(register)] += 1;
        let fpga = self.responder.fpga();
        let startup = register == Register::Control && value == STARTUP_STROBES;
        if fpga.flags() & Status::ABORT_PENDING != 0 && !startup {
            self.log.violations.push(Violation::WroteWhileAborting(value));
        }
        if register == Register::Control {
            self.strobe(value);
        }
        self.responder.write(register, value);
        if register == Register::Control && value & Strobe::Accept.bits() != 0 {
            self.after_accept();
        }
        self.let_work();
    }

    /// Watches a control write, and lets happen what comes before it.
    fn strobe(&mut self, value: u8) {
        let has = |strobe: Strobe| value & strobe.bits() != 0;
        self.log.controls.push((self.now, value));
        if has(Strobe::Push) {
            if has(Strobe::Abort) {
                self.log.violations.push(Violation::AbortWithPush);
            }
            if let Some(Some(fault)) = self.course.before_pushes.pop_front() {
                self.responder.suffer(fault);
            }
            if self.responder.fpga().state() == State::Idle {
                self.pushed();
            }
        }
        let fpga = self.responder.fpga();
        if has(Strobe::Accept) {
            self.log.accepts.push(fpga.state());
            if fpga.status().data_available() {
                self.log.violations.push(Violation::AcceptedUnread);
            }
        }
        if has(Strobe::Abort) && self.course.aborts_served_after > 0 {
            self.held_until = Some(self.now.saturating_add(self.course.aborts_served_after));
        }
    }

    fn pushed(&mut self) {
        let command = self.responder.fpga().command().to_vec();
        match command.as_slice() {
            [_, 0x23, ..] if command.len() != 3 => {
                self.log.violations.push(Violation::InfoLength(command.len()));
            }
            [_, 0x25, ..] if command.len() != 2 => {
                self.log.violations.push(Violation::ReleaseLength(command.len()));
            }
            [_, 0x10 | 0x11, handle, ..]
                if !self.responder.sessions().iter().any(|(ours, _)| ours == *handle) =>
            {
                self.log.violations.push(Violation::NamedForeignHandle(command.clone()));
            }
            _ => {}
        }
        self.log.commands.push(command);
    }

    fn after_accept(&mut self) {
        if self.responder.fpga().flags() & Status::ACCEPT_PENDING == 0 {
            return;
        }
        match self.course.continuations.pop_front() {
            Some(Continuation::After(units)) => {
                self.held_until = Some(self.now.saturating_add(units));
            }
            Some(Continuation::Lost) => self.responder.suffer(Fault::AcceptLost),
            None => {}
        }
    }

    /// Gives the Nios and the engine the time that has passed.
    fn let_work(&mut self) {
        match self.held_until {
            Some(until) if self.now < until || until == u32::MAX => return,
            Some(_) | None => self.held_until = None,
        }
        if self.timing.accesses_per_work > 0 {
            self.since_work += 1;
            if self.since_work >= self.timing.accesses_per_work {
                self.since_work = 0;
                self.work_once();
            }
            return;
        }
        while self.work_once() {}
    }

    fn work_once(&mut self) -> bool {
        if let Some(work) = self.responder.work() {
            if matches!(work, Work::Shown { .. } | Work::NextBlock { .. }) {
                self.just_shown = true;
                self.reset_at = self.course.resets.pop_front().flatten();
                self.reset_if_due();
            }
            if matches!(work, Work::Parsed { .. }) {
                let stall = self.course.stalls.pop_front().filter(|&units| units > 0);
                self.held_until = stall.map(|units| self.now.saturating_add(units));
                return self.held_until.is_none();
            }
            return true;
        }
        let Some(ask) = self.responder.asks() else {
            self.asked_at = None;
            return false;
        };
        let asked_at = *self.asked_at.get_or_insert(self.now);
        match self.engine.answer(ask, self.now - asked_at) {
            Some(answer) => {
                self.asked_at = None;
                self.responder.answer(answer)
            }
            None => false,
        }
    }

    fn reset_if_due(&mut self) {
        if self.reset_at.is_some_and(|at| self.responder.fpga().response_at() >= at) {
            self.reset_at = None;
            self.responder.suffer(Fault::Reset);
        }
    }

    /// What the firmware waits for from the engine.
    pub fn asks(&self) -> Option<&Ask> {
        self.responder.asks()
    }
}

const fn index(register: Register) -> usize {
    match register {
        Register::BusId => 0,
        Register::Control => 1,
        Register::Command => 2,
        Register::Response => 3,
        Register::Text => 4,
    }
}

#[cfg(test)]
mod tests {
    use firmware_core::m3_read::preset::Arm;

    use super::*;
    use crate::m3_read::responder::reply::Block;
    use crate::m3_read::responder::script::Script;

    fn pair() -> Pair<Script> {
        Pair::new(Arm::Two.config(), Setup::m3(), Script::default()).expect("both are sound")
    }

    /// Writes the bytes of a command and pushes it.
    fn pushing(bytes: &[u8]) -> Vec<Violation> {
        let mut pair = pair();
        for &byte in bytes {
            pair.write(Register::Command, byte);
        }
        pair.write(Register::Control, Strobe::Push.bits());
        pair.log.violations
    }

    /// Cites ER-4: INFO has three bytes and RELEASE two.
    #[test]
    fn a_trailing_byte_of_info_or_release_is_noted() {
        assert_eq!(pushing(&[0x03, 0x23, 0xFF]), []);
        assert_eq!(pushing(&[0x03, 0x23, 0xFF, 0]), [Violation::InfoLength(4)]);
        assert_eq!(pushing(&[0x03, 0x25]), []);
        assert_eq!(pushing(&[0x03, 0x25, 0]), [Violation::ReleaseLength(3)]);
    }

    /// Cites S 1.6 M10: a handle that is gone may be another's.
    #[test]
    fn a_read_or_write_of_a_handle_that_is_nobodys_is_noted() {
        for number in [0x10, 0x11] {
            let command = vec![0x03, number, 7, 1, 0];
            assert_eq!(pushing(&command), [Violation::NamedForeignHandle(command.clone())]);
        }
        assert_eq!(pushing(&[0x03, 0x09, 7]), [], "closing one is how a sweep begins");
    }

    /// Cites App. A.
    #[test]
    fn a_push_with_an_abort_and_a_write_while_one_is_pending_are_noted() {
        let mut pair = pair();
        pair.course.aborts_served_after = 10;
        pair.write(Register::Control, Strobe::Push.bits() | Strobe::Abort.bits());
        assert_eq!(pair.log.violations, [Violation::AbortWithPush]);
        pair.write(Register::Command, 0x03);
        let both = [Violation::AbortWithPush, Violation::WroteWhileAborting(0x03)];
        assert_eq!(pair.log.violations, both);
        pair.pass(10);
        pair.write(Register::Command, 0x03);
        assert_eq!(pair.log.violations, both, "it has been served");
    }

    /// Cites ER-5: a block is read to its end before it is accepted.
    #[test]
    fn an_accept_with_bytes_left_is_noted() {
        let mut pair = pair();
        let block = Block::try_new(vec![1], Vec::new(), false).expect("it fits");
        pair.responder.suffer(Fault::StrayReply(block));
        pair.read(Register::Control);
        pair.write(Register::Control, Strobe::Accept.bits());
        assert_eq!(pair.log.violations, [Violation::AcceptedUnread]);
        assert_eq!(pair.log.accepts, [State::DataLast]);
    }
}
