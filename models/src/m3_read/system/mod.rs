//! The READ client in a closed system: the core, the firmware that answers it, and an environment
//! that does whatever its clauses allow and a good deal that they forbid.
//!
//! ```text
//!   app ──Poll, Close──► M3Read ──access──► Responder (FPGA, Nios task, network target)
//!                          ▲                  ▲        ▲            ▲
//!   clock: +1 or +2 units ─┘     Nios: when? ─┘  faults┘   engine: which reply? when?
//! ```
//!
//! Between any two accesses of the client the Nios may make any number of its small steps, or none:
//! so every reply may be early, late by one unit around every deadline, or never come, an abort may
//! never be served (a wedge), and flags may meet in one interrupt in any order.
//!
//! # Inside the bounds
//!
//! * Sizes are scaled, because the core holds no size but its configuration's: a first block has
//!   [`FIRST_BLOCK`] bytes of payload and a continuation up to [`CONTINUATION`]. Replies announce 1,
//!   half a block, a block, a block and one, all that was asked, and one over; in one or two blocks,
//!   each a byte short, exact or a byte long, the last marked as last or as one that more follows.
//!   Replies without a count: nothing, half a header, `$FFFF` with the idle line and with two that
//!   are not, `$0000` with 01, 05, 12, 14, 16, 17 and 00.
//! * Bounds are scaled to 3 units for commands, 1 after an abort, 2 for an abort of unknown age: all
//!   different, so that one taken for another shows. A clock reading finds 1 unit gone, and once in a
//!   request 2, so each wait is seen a unit before its end, at it, and a unit after it.
//! * At most [`Bounds::polls`] READs in one session, then CLOSE; a refused CLOSE may be asked for
//!   once more. A session that has ended may still be polled.
//! * At most one fault: an accept lost on its way to the Nios, or a reply nobody asked for before a
//!   push. [`Bounds::HOSTILE`] adds a block that vanishes while it is shown, and an interrupt so late
//!   that a push or an accept meets an abort in one flag byte.
//! * The one clock of the FPGA on which a block is valid and seems empty.
//!
//! # Outside
//!
//! * The real sizes of 893, 895 and 1 472 bytes (they are walked through by [`super::holes`]), a
//!   block that fills the response RAM, more than two blocks shown in one reply, a ring that is full.
//! * Startup, INFO, `OPEN_TLS`, WRITE and RELEASE: the session is open when the model begins.
//! * A clock that stands still ([`Bounds::still_clock`] is a model of its own, without the rest).
//! * How long anything takes: the clock moves only when it is read, and fences cost nothing. Arms F
//!   and 1 differ in fences only and are one system here.
//!
//! # What no bounded model of this kind can see
//!
//! S 1.5 and the figures of S:2012-2013 (sizes are scaled), S 4.3 and the length of ER-1's bounds in
//! seconds, ER-1 Clock (the clock is the model's), ER-8 beyond the lines that occur, ER-10 and ER-16
//! (pauses between polls of a module that is not there), and everything that belongs to Startup, Open
//! and WRITE.
//!
//! Clauses: ER-1, ER-1 N-1, ER-5, ER-7, ER-9, ER-11, ER-12, S 1.1 M-2, S 1.6, S 1.6 M10, App. A,
//! S:2012-2013.
mod actions;
mod properties;
mod reactions;
mod replies;
mod state;

use std::fmt;
use std::sync::atomic::{AtomicU16, Ordering};

use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::{self, Config, ConfigError};
use firmware_core::m3_read::input::{OpenRequest, Request, Trust};
use firmware_core::m3_read::output::Done;
use firmware_core::m3_read::preset::Arm;
use firmware_core::time::Duration;

use super::responder::firmware::{AbortedAccept, Firmware};
use super::responder::pair::{Pair, PairError, Timing};
use super::responder::script::Script;
use super::responder::{Responder, Setup};
use crate::checker::Model;
use crate::checker::codec::{Collapsed, Shared};
use crate::property::Property;

pub use actions::{Act, Effect, Happened};
pub use properties::{Label, Seen};
pub use replies::{Kind, Offer, Truth};
pub use state::{App, State, Told, WaitsFor, World};

/// Payload bytes of a first block.
pub const FIRST_BLOCK: u16 = 4;
/// Payload bytes of a continuation at most.
pub const CONTINUATION: u16 = 2;
/// The scaled bounds, in units.
pub const BOUNDS: config::Bounds =
    config::Bounds { open: 4, command: 3, post_abort: 1, unknown_push: 2, ready: 2, ready_poll: 1 };
/// How often in one request a clock reading finds two units gone instead of one.
pub const LATES: u8 = 1;
/// The longest that a request may take, in units: at most five waits follow each other (idle, abort of
/// unknown age, first block, continuation, abort), each begins with a reading of its own, a refused
/// CLOSE is pushed once more after a wait for idle, and [`LATES`] are lost once.
pub const REQUEST_UNITS_MAX: u16 =
    5 * (BOUNDS.command + 1) + BOUNDS.unknown_push + BOUNDS.command + 2 + LATES as u16;

/// How much the environment may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// READs in one session at most.
    pub polls: u8,
    /// Faults at most.
    pub faults: u8,
    /// Whether the firmware does what no clause of its own allows: a block vanishes while it is
    /// shown, and an interrupt is taken so late that flags meet in one.
    pub hostile: bool,
    /// Whether only legal replies are given.
    pub legal_only: bool,
    /// Whether the clock stands still for ever; then nothing else goes wrong.
    pub still_clock: bool,
}

impl Bounds {
    /// One READ, everything else as the module says: quick enough for a test.
    pub const ONE_READ: Self =
        Self { polls: 1, faults: 1, hostile: false, legal_only: false, still_clock: false };
    /// One READ before a firmware that breaks its own rules: some of ours do not survive that.
    pub const HOSTILE: Self = Self { hostile: true, ..Self::ONE_READ };
    /// Two READs.
    pub const TWO_READS: Self = Self { polls: 2, ..Self::ONE_READ };
    /// One READ on a clock that stands still.
    pub const STILL: Self =
        Self { faults: 0, legal_only: true, still_clock: true, ..Self::ONE_READ };
}

/// The closed system for one arm.
pub struct System {
    arm: Arm,
    bounds: Bounds,
    config: Config,
    offers: Vec<Offer>,
    client: M3Read,
    responder: Shared<Responder>,
    reactions: reactions::Reactions,
    /// The longest request seen so far, in units.
    longest: AtomicU16,
}

/// Why there is no system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemError {
    /// The scaled configuration breaks a rule.
    Config(ConfigError),
    /// The client and the responder cannot be put together.
    Pair(PairError),
    /// The session could not be opened.
    NotOpened,
}

impl fmt::Display for SystemError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(broken) => write!(out, "the scaled configuration: {broken}"),
            Self::Pair(broken) => write!(out, "the pair: {broken:?}"),
            Self::NotOpened => out.write_str("the session could not be opened"),
        }
    }
}

impl std::error::Error for SystemError {}

/// The configuration of an arm with scaled sizes and bounds.
pub fn scaled(arm: Arm) -> Config {
    let config = arm.config();
    let request_max = match config.blocks {
        config::Blocks::One => FIRST_BLOCK,
        config::Blocks::Two => FIRST_BLOCK + CONTINUATION,
    };
    Config { request_max, first_block_bytes: FIRST_BLOCK, bounds: BOUNDS, ..config }
}

impl System {
    /// The system of `arm` within `bounds`: a client with an open session.
    ///
    /// # Errors
    /// [`SystemError`], when the scaled configuration is not one that the client accepts.
    pub fn new(arm: Arm, bounds: Bounds) -> Result<Self, SystemError> {
        let config = scaled(arm);
        config.check().map_err(SystemError::Config)?;
        let firmware = Firmware {
            first_block_bytes: FIRST_BLOCK,
            continuation_bytes: CONTINUATION,
            read_limit: FIRST_BLOCK + CONTINUATION,
            aborted_accept: AbortedAccept::Answered,
            ..Firmware::M3
        };
        let setup = Setup { firmware, pool: 2, interfaces: Vec::new(), ..Setup::m3() };
        let mut pair = Pair::new(config, setup, Script::default()).map_err(SystemError::Pair)?;
        pair.timing = Timing::PROMPT;
        pair.set_source(b"host");
        let request =
            OpenRequest { port: 443, trust: Trust::Bundle, tls13_only: true, host_bytes: 4 };
        match pair.run(Request::Open(request)) {
            Ok(Done::Open(Ok(()))) => {}
            Ok(_) | Err(_) => return Err(SystemError::NotOpened),
        }
        let offers = replies::offers(&config, bounds.legal_only);
        Ok(Self {
            arm,
            bounds,
            config,
            offers,
            client: pair.reader,
            responder: Shared::new(pair.responder),
            reactions: reactions::Reactions::default(),
            longest: AtomicU16::new(0),
        })
    }

    /// The same system without the checker's table of answers: every reaction of the responder is
    /// worked out whenever it is asked for. The same states, more slowly.
    #[must_use]
    pub fn worked_out_anew(mut self) -> Self {
        self.reactions.anew = true;
        self
    }

    /// The arm.
    pub fn arm(&self) -> Arm {
        self.arm
    }

    /// What the environment may do.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The longest that a request has taken in any state explored so far, in units of the client's
    /// clock. The same at any number of threads.
    pub fn longest_request_units(&self) -> u16 {
        self.longest.load(Ordering::Relaxed)
    }

    /// Every reply that the engine may give to a READ.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }
}

impl Model for System {
    type State = State;
    type Action = Happened;
    type Seen = Seen;
    type Codec = Collapsed<State>;

    fn codec(&self) -> Self::Codec {
        Collapsed::default()
    }

    fn initial(&self) -> Vec<State> {
        vec![State::begin(self.client, self.responder.clone(), self.bounds)]
    }

    fn successors(&self, state: &State, each: &mut impl FnMut(Happened, State)) {
        self.act(state, each);
    }

    fn observe(&self, step: Option<(&State, &Happened)>, after: &State) -> Seen {
        let seen =
            Seen::of(step.map(|(before, happened)| (before, *happened)), after, &self.config);
        self.longest.fetch_max(seen.clock(), Ordering::Relaxed);
        seen
    }

    fn properties(&self) -> Vec<Property<Seen>> {
        properties::properties(self.arm, self.bounds)
    }

    fn ticks(&self, action: &Happened) -> u32 {
        match action.act {
            Act::Clock(units) => units.into(),
            _ => 0,
        }
    }

    /// A tick is a unit of the client's clock; rules give their limits in ticks.
    fn tick(&self) -> Duration {
        Duration::MILLISECOND
    }

    fn describe(&self, state: &State) -> Vec<(String, String)> {
        state.describe()
    }

    fn word(&self, action: &Happened) -> String {
        action.word(&self.offers)
    }

    fn say(&self, action: &Happened) -> String {
        action.say(&self.offers)
    }
}
