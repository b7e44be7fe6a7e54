//! The READ client of a Commodore 64 that fetches TLS plaintext from an Ultimate-64 through five
//! registers: a machine over single bus accesses.
//!
//! ```text
//!   request ──► step ──► Access ──► driver ──► answer ──► step ──► Access … ──► Done
//!                 │                 (register or clock)
//!                 └──► Store: one payload byte for the ring
//!
//!   one READ:  idle? · 03 10 handle lenLo lenHi · clear error · push · valid?
//!              header · payload ──[full and owed: accept · valid? · payload]──
//!              nothing left? · status text · accept
//! ```
//!
//! # The calling rule here
//!
//! Every step performs at most one register access or one clock reading, and its answer is the next
//! input. There is no `now`: this client knows the time only by reading its clock, and that reading
//! is an access like another. There is no charge either: what an access costs follows from the
//! access itself (a bus cycle, and a fence if [`Config::fence_after`] says so), so the driver that
//! makes it knows the cost and a `CostKey` would say nothing more.
//!
//! The bytes of the ring, of a host name and of a buffer to send stay with the driver; the machine
//! holds offsets. It is small, `Copy`, and a checker can store millions of it.
//!
//! # What always ends
//!
//! Every wait is bounded by the deadline clock, and the clock itself by a count of polls without
//! movement; every copy by what was asked for; every drain by 1 024 bytes; every status line by 255.
//!
//! # Map
//!
//! [`registers`] what the bus has · [`handshake`] states and strobes · [`deadline`] the clock ·
//! [`command`] what is sent · [`header`], [`copy`], [`status_line`] what comes back · [`ring`] where
//! it goes · [`ownership`] whose handle it is · [`config`], [`preset`] the arms · [`input`],
//! [`output`] the two sides of a step.
//!
//! Clauses: ER-11, and those of the modules above.
pub mod command;
pub mod config;
pub mod copy;
pub mod deadline;
pub mod error_code;
mod exchange;
pub mod handshake;
pub mod header;
pub mod input;
pub mod invariants;
mod operation;
pub mod output;
pub mod ownership;
pub mod preset;
pub mod registers;
pub mod ring;
pub mod status_line;

use config::{Config, ConfigError};
use error_code::{ErrorCode, OpenHint};
use exchange::{Answer, Ended, Exchange, Move};
use input::{Input, Request};
use operation::Job;
use output::{Access, Done, Ending, Next, Output, Store};
use ownership::{Connection, Ownership};
use ring::Ring;
use status_line::StatusLine;

/// The client. Made by [`M3Read::new`], driven by [`M3Read::step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct M3Read {
    config: Config,
    connection: Connection,
    ownership: Ownership,
    last_error: ErrorCode,
    hint: OpenHint,
    ending: Option<Ending>,
    wedged: bool,
    ring: Ring,
    line: StatusLine,
    job: Job,
    doing: Doing,
}

/// What is outstanding at the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Doing {
    Nothing,
    /// The identifier is being read.
    Identifying,
    /// A command runs.
    Exchanging(Exchange),
    /// The clock is being read, outside any command.
    ReadingClock,
}

impl M3Read {
    /// A client that has just been started: not connected, and nothing known of the interface.
    ///
    /// # Errors
    /// The first rule that `config` breaks.
    pub const fn new(config: Config) -> Result<Self, ConfigError> {
        if let Err(broken) = config.check() {
            return Err(broken);
        }
        Ok(Self {
            config,
            connection: Connection::Closed,
            ownership: Ownership::Nothing,
            last_error: ErrorCode::Ok,
            hint: OpenHint::None,
            ending: None,
            wedged: false,
            ring: Ring::EMPTY,
            line: StatusLine::EMPTY,
            job: Job::None,
            doing: Doing::Nothing,
        })
    }

    /// Takes a request, or the answer to the outstanding access. Any input at any time is defined:
    /// one that was not asked for changes nothing and is called [`Next::Unexpected`].
    pub fn step(&mut self, input: Input) -> Output {
        let output = match input {
            Input::Request(request) => plain(self.request(request)),
            Input::Byte(byte) => self.answered(Answer::Byte(byte)),
            Input::Written => self.answered(Answer::Written),
            Input::Clock(now) => self.answered(Answer::Clock(now)),
        };
        debug_assert!(self.broken_invariant().is_none(), "{:?}", self.broken_invariant());
        output
    }

    /// The configuration it was made with.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Whether there is a connection, and how the last one ended.
    pub const fn connection(&self) -> Connection {
        self.connection
    }

    /// Whether the session's handle is ours to close.
    pub const fn ownership(&self) -> Ownership {
        self.ownership
    }

    /// The last error. Data, idle and the ends 01 and 05 leave it as it is.
    pub const fn last_error(&self) -> ErrorCode {
        self.last_error
    }

    /// What the screen adds to the last refused Open.
    pub const fn hint(&self) -> OpenHint {
        self.hint
    }

    /// How the stream ended, once it has.
    pub const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Whether the interface is wedged (ER-11): nothing is written any more, and only a reset of the
    /// machine helps.
    pub const fn wedged(&self) -> bool {
        self.wedged
    }

    /// The receive ring.
    pub const fn ring(&self) -> Ring {
        self.ring
    }

    /// The status line of the last command.
    pub const fn status_line(&self) -> &StatusLine {
        &self.line
    }

    /// Whether a request is in progress.
    pub fn busy(&self) -> bool {
        self.doing != Doing::Nothing
    }

    fn answered(&mut self, answer: Answer) -> Output {
        match (&mut self.doing, answer) {
            (Doing::Exchanging(exchange), answer) => match exchange.step(answer, &self.config) {
                Move::Access(access) => plain(Next::Access(access)),
                Move::Store(byte, access) => self.store(byte, access),
                Move::Ended(ended) => {
                    let exchange = *exchange;
                    plain(self.settle(ended, &exchange))
                }
                Move::Unexpected => plain(Next::Unexpected),
            },
            (Doing::Identifying, Answer::Byte(id)) => plain(self.identified(id)),
            (Doing::ReadingClock, Answer::Clock(now)) => plain(self.clock_read(now)),
            (Doing::Nothing, _)
            | (Doing::Identifying, Answer::Written | Answer::Clock(_))
            | (Doing::ReadingClock, Answer::Byte(_) | Answer::Written) => plain(Next::Unexpected),
        }
    }

    fn store(&mut self, byte: u8, access: Access) -> Output {
        let at = self.ring.place().expect("no more is copied than was free when it was asked for");
        Output { store: Some(Store { at, byte }), next: Next::Access(access) }
    }
}

const fn plain(next: Next) -> Output {
    Output { store: None, next }
}
