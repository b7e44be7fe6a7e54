//! One command from the wait for an idle interface to the last accept, as a machine over bus
//! accesses.
//!
//! ```text
//!   idle? ──► command bytes ──► clear error ──► push ──► valid? ──► look again ──► reply ──► accept
//!     │ 12 s                                                │ B         │ error
//!     ▼                                                     ▼           ▼
//!   abort, 45 s for bit 2, go on                     abort, 12 s    clear error, rejected
//!                                                           └─ bit 2 stays ──► wedged
//! ```
//!
//! Clauses: ER-1, ER-1 N-1, ER-2, App. A, S 1.1 ABORT, and of the client rules those on a command that
//! finds the interface busy, and on a continuation.
mod abandon;
mod reply;

use super::command::Command;
use super::config::Config;
use super::copy::Transfer;
use super::deadline::{Elapsed, Wait};
use super::handshake::{Permission, Strobe, permission};
use super::output::Access;
use super::registers::{Register, Status};
use super::status_line::StatusLine;

pub(super) use abandon::Reason;
use reply::{Fetch, Test};

/// Bytes of a reply that are kept; the longest reply but a READ's has 16 (INFO).
pub(super) const KEPT_MAX: usize = 16;

/// A command in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Exchange {
    command: Option<Command>,
    phase: Phase,
    /// The last sample of STATUS: every write is decided on it.
    seen: Status,
    /// The clock when the command was pushed, once it was.
    pushed_at: Option<u16>,
    transfer: Transfer,
    kept: [u8; KEPT_MAX],
    /// Bytes taken from the response that did not go to the ring.
    drained: u16,
    line: StatusLine,
}

/// What is outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// A wait: its clock is being started, or STATUS or the clock is being read.
    Waiting { on: On, wait: Wait, probe: Probe },
    /// Byte `index` of the command is being written.
    Sending { index: u16 },
    /// A strobe is being written.
    Writing(Strobing),
    /// STATUS is being read to decide this.
    Sampling(Test),
    /// A byte of a queue is being read.
    Fetching(Fetch),
}

/// What a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum On {
    /// An idle interface, before the first byte.
    Idle,
    /// The first block, or a refusal.
    FirstBlock,
    /// The continuation.
    Continuation,
    /// Bit 2 to clear after an abort.
    AbortServed(Reason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Probe {
    Start,
    Status,
    Clock,
}

/// A control write and its place in the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Strobing {
    ClearBefore,
    Push,
    ClearRejected,
    AcceptBlock,
    AcceptLast,
    Abort(Reason),
}

/// An answer from the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Byte(u8),
    Written,
    Clock(u16),
}

/// What an answer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Move {
    /// Make this access.
    Access(Access),
    /// Put this payload byte into the ring, then make this access.
    Store(u8, Access),
    /// The exchange is over.
    Ended(Ended),
    /// The answer is not one to the outstanding access.
    Unexpected,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// A reply was read to its end and accepted.
    Replied,
    /// The push was refused: the command never ran.
    Rejected,
    /// The command was aborted, for this reason.
    Aborted(Reason),
    /// The abort was not served: nothing may be written any more.
    Wedged,
}

impl Exchange {
    /// Begins `command`: the first access starts the clock of the wait for an idle interface.
    pub(super) fn begin(command: Command, config: &Config) -> (Self, Access) {
        let mut exchange = Self::new(Some(command));
        let access = exchange.start_wait(On::Idle, config);
        (exchange, access)
    }

    /// Begins the reset of an interface in unknown state: abort and clear-error in one write.
    pub(super) fn begin_startup() -> (Self, Access) {
        let mut exchange = Self::new(None);
        exchange.phase = Phase::Writing(Strobing::Abort(Reason::Startup));
        let value = super::handshake::STARTUP_STROBES;
        (exchange, Access::Write { register: Register::Control, value })
    }

    fn new(command: Option<Command>) -> Self {
        let request = command.and_then(Command::read_length).unwrap_or(0);
        Self {
            command,
            phase: Phase::Writing(Strobing::ClearBefore),
            seen: Status(0),
            pushed_at: None,
            transfer: Transfer::of(request),
            kept: [0; KEPT_MAX],
            drained: 0,
            line: StatusLine::EMPTY,
        }
    }

    /// Takes the answer to the outstanding access.
    pub(super) fn step(&mut self, answer: Answer, config: &Config) -> Move {
        match (self.phase, answer) {
            (Phase::Sampling(test), Answer::Byte(byte)) => {
                self.seen = Status(byte);
                self.sampled(test, config)
            }
            (Phase::Fetching(fetch), Answer::Byte(byte)) => self.fetched(fetch, byte),
            (Phase::Waiting { on, wait, probe: Probe::Status }, Answer::Byte(byte)) => {
                self.seen = Status(byte);
                self.polled(on, wait)
            }
            (Phase::Waiting { on, wait, probe: Probe::Clock }, Answer::Clock(now)) => {
                self.timed(on, wait, now, config)
            }
            (Phase::Waiting { on, wait, probe: Probe::Start }, Answer::Clock(now)) => {
                Move::Access(self.begin_wait(on, now, wait.length(), config))
            }
            (Phase::Sending { index }, Answer::Written) => Move::Access(self.send(index + 1)),
            (Phase::Writing(strobing), Answer::Written) => self.strobed(strobing, config),
            (
                Phase::Sampling(_)
                | Phase::Fetching(_)
                | Phase::Waiting { probe: Probe::Status, .. },
                Answer::Written | Answer::Clock(_),
            )
            | (Phase::Sending { .. } | Phase::Writing(_), Answer::Byte(_) | Answer::Clock(_))
            | (
                Phase::Waiting { probe: Probe::Start | Probe::Clock, .. },
                Answer::Byte(_) | Answer::Written,
            ) => Move::Unexpected,
        }
    }

    /// The status text of the reply.
    pub(super) const fn line(&self) -> &StatusLine {
        &self.line
    }

    /// The copy of a READ's reply.
    pub(super) const fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// The reply of another command: the bytes kept, and how many there were.
    pub(super) fn reply(&self) -> (&[u8], u16) {
        (self.kept.get(..usize::from(self.drained)).unwrap_or(&self.kept), self.drained)
    }

    /// Whether the exchange's own figures agree with each other.
    pub(super) fn holds(&self, config: &Config) -> bool {
        let waiting = match self.phase {
            Phase::Waiting { wait, .. } => wait.holds(),
            Phase::Sending { .. } | Phase::Writing(_) | Phase::Sampling(_) | Phase::Fetching(_) => {
                true
            }
        };
        waiting && self.drained <= super::copy::DRAIN_MAX && self.transfer.holds(config)
    }

    fn send(&mut self, index: u16) -> Access {
        match self.command {
            Some(command) if index < command.bytes() => {
                self.phase = Phase::Sending { index };
                command.write(index)
            }
            // The refusal bit outlives a reset, so it is cleared before each push.
            _ => self.strobe(Strobe::ClearError, Strobing::ClearBefore),
        }
    }

    /// Writes one strobe. Every control write but the first of all passes here.
    fn strobe(&mut self, strobe: Strobe, strobing: Strobing) -> Access {
        debug_assert!(
            match permission(self.seen, strobe) {
                Permission::Granted => true,
                Permission::ForContinuation => strobing == Strobing::AcceptBlock,
                Permission::UnreadBytes | Permission::AbortPending => false,
            },
            "{strobing:?} on {:?}",
            self.seen
        );
        self.phase = Phase::Writing(strobing);
        Access::Write { register: Register::Control, value: strobe.bits() }
    }

    fn strobed(&mut self, strobing: Strobing, config: &Config) -> Move {
        Move::Access(match strobing {
            Strobing::ClearBefore => self.strobe(Strobe::Push, Strobing::Push),
            Strobing::Push => self.start_wait(On::FirstBlock, config),
            Strobing::AcceptBlock => self.start_wait(On::Continuation, config),
            Strobing::Abort(reason) => self.start_wait(On::AbortServed(reason), config),
            Strobing::ClearRejected => return Move::Ended(Ended::Rejected),
            Strobing::AcceptLast => return Move::Ended(Ended::Replied),
        })
    }

    /// Starts a wait: its bound counts from the reading of the clock that is asked for here.
    fn start_wait(&mut self, on: On, config: &Config) -> Access {
        let bounds = &config.bounds;
        let length = match on {
            On::Idle | On::Continuation => bounds.command,
            On::FirstBlock => self.command.map_or(bounds.command, |sent| sent.bound(bounds)),
            On::AbortServed(reason) => reason.bound(bounds),
        };
        self.phase = Phase::Waiting { on, wait: Wait::unarmed(length), probe: Probe::Start };
        Access::Clock
    }

    /// The clock was read: the wait begins. An abort may take until its own bound or until that of
    /// the command, whichever is later (ER-1).
    fn begin_wait(&mut self, on: On, now: u16, length: u16, config: &Config) -> Access {
        let length = match (on, self.command, self.pushed_at) {
            (On::AbortServed(_), Some(command), Some(pushed_at)) => {
                let left =
                    command.bound(&config.bounds).saturating_sub(pushed_at.wrapping_sub(now));
                length.max(left)
            }
            (On::FirstBlock, _, _) => {
                self.pushed_at = Some(now);
                length
            }
            (On::Idle | On::Continuation | On::AbortServed(_), _, _) => length,
        };
        self.poll(on, Wait::from(now, length))
    }

    fn poll(&mut self, on: On, wait: Wait) -> Access {
        self.phase = Phase::Waiting { on, wait, probe: Probe::Status };
        Access::Read(Register::Control)
    }

    /// Judges the sample of a wait.
    fn polled(&mut self, on: On, wait: Wait) -> Move {
        let seen = self.seen;
        match on {
            On::Idle if seen.idle() => Move::Access(self.send(0)),
            On::FirstBlock if seen.reply_valid() || seen.error() => self.sample(Test::Look),
            On::Continuation if seen.reply_valid() => self.sample(Test::Payload),
            On::AbortServed(reason) if !seen.abort_pending() => self.served(reason),
            On::Idle | On::FirstBlock | On::Continuation | On::AbortServed(_) => {
                self.phase = Phase::Waiting { on, wait, probe: Probe::Clock };
                Move::Access(Access::Clock)
            }
        }
    }

    /// Judges the clock of a wait whose sample did not end it.
    fn timed(&mut self, on: On, mut wait: Wait, now: u16, config: &Config) -> Move {
        let stopped = match wait.check(now) {
            Elapsed::Running => return Move::Access(self.poll(on, wait)),
            Elapsed::Expired => false,
            Elapsed::Stopped => true,
        };
        let reason = match on {
            On::Idle => Reason::NotIdle,
            On::FirstBlock | On::Continuation if stopped => Reason::ClockStopped,
            On::FirstBlock => Reason::FirstBlockLate,
            On::Continuation => Reason::ContinuationLate,
            On::AbortServed(_) => return Move::Ended(Ended::Wedged),
        };
        self.abandon(reason, config)
    }
}
