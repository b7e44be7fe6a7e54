//! How long the READ client can wait for anything: every wait has a bound in units of its own clock,
//! so a request's longest is a sum.
//!
//! ```text
//!   idle? 12 s ─► abort, bit 2 45 s ─► bytes, push ─► first block B ─► [continuation 12 s] ─► abort, bit 2 12 s
//!   └────────────── head ──────────┘                 └───────────────────── tail ───────────────────────┘
//!
//!   READ  = head + tail        CLOSE = head + first block (refused) + head + tail
//!   OPEN  = CLOSE of an old session + readiness polls + head + tail(45 s) + two RELEASEs
//! ```
//!
//! A wait ends at the first poll at which the clock shows its bound: at most one poll later than the
//! bound itself, which counts from a reading of the clock after the push or the accept. An abort may
//! take until its own bound or until that of the command, whichever is later; both together never
//! take longer than the command's bound and then the abort's.
//!
//! The deadline clock is taken to run. One that stands still ends a wait after
//! [`STILL_POLLS_MAX`](firmware_core::m3_read::deadline::STILL_POLLS_MAX) polls instead.
//!
//! Clauses: ER-1, ER-1 N-1, ER-10, App. A, S 1.1 M-2.
use firmware_core::m3_read::command::{HOST_MAX, PIN_BYTES};
use firmware_core::m3_read::config::{Blocks, Bounds, Config};
use firmware_core::m3_read::copy::DRAIN_MAX;

/// What the machine around the client takes, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// One register access at most, with the loop around it.
    pub access_ns: u64,
    /// One fence.
    pub fence_ns: u64,
    /// One unit of the deadline clock.
    pub unit_ns: u64,
}

/// Something that the client waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wait {
    /// An idle interface before a command, from its first look.
    Idle,
    /// Bit 2 to clear, after an abort of a command that the client has not pushed.
    UnknownAbort,
    /// The first block, from the push.
    FirstBlock,
    /// The same of Open.
    Opened,
    /// The continuation, from the accept of the block before it.
    Continuation,
    /// Bit 2 to clear, after an abort of a command of its own whose time was up.
    Abort,
    /// The firmware to be ready before Open, over all polls.
    Ready,
}

/// What the application asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// One READ.
    Read,
    /// A CLOSE, pushed again when it is refused.
    Close,
    /// An Open, from closing an old session to releasing a new one that is of no use.
    Open,
}

/// Status bytes that are read at most.
const TEXT_MAX: u64 = 255;
/// Samples and strobes of an exchange beside those of its bytes and its waits.
const BESIDES_MAX: u64 = 24;
/// Registers of one reading of the deadline clock.
const CLOCK_ACCESSES: u64 = 3;

impl Wait {
    /// Every wait, in the order of a command.
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::UnknownAbort,
        Self::FirstBlock,
        Self::Opened,
        Self::Continuation,
        Self::Abort,
        Self::Ready,
    ];

    /// The words in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle interface, from the first look",
            Self::UnknownAbort => "abort of an unknown command served",
            Self::FirstBlock => "first block, from the push",
            Self::Opened => "first block of OPEN_TLS, from the push",
            Self::Continuation => "continuation, from the accept",
            Self::Abort => "abort of a late command served",
            Self::Ready => "firmware ready, over all polls",
        }
    }

    /// The clause that sets its bound.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Idle | Self::UnknownAbort | Self::FirstBlock | Self::Opened | Self::Abort => {
                "ER-1"
            }
            Self::Continuation => "ER-1 N-1",
            Self::Ready => "ER-10",
        }
    }

    /// Its bound in units of the deadline clock.
    pub const fn units(self, bounds: &Bounds) -> u16 {
        match self {
            Self::Idle | Self::FirstBlock | Self::Continuation => bounds.command,
            Self::UnknownAbort => bounds.unknown_push,
            Self::Opened => bounds.open,
            Self::Abort => bounds.post_abort,
            Self::Ready => bounds.ready,
        }
    }

    /// The longest it can last, from the strobe or look that begins it to the poll that ends it.
    pub fn most_ns(self, config: &Config, machine: Machine) -> u64 {
        let read = machine.access_ns + if config.fences.reads { machine.fence_ns } else { 0 };
        let write = machine.access_ns + if config.fences.writes { machine.fence_ns } else { 0 };
        let clock = CLOCK_ACCESSES * machine.access_ns;
        let poll = read + clock;
        write + clock + u64::from(self.units(&config.bounds)) * machine.unit_ns + poll
    }

    /// Whether a build of the client has it.
    pub fn exists(self, config: &Config) -> bool {
        self != Self::Continuation || config.blocks == Blocks::Two
    }
}

impl Request {
    /// Every request that is bounded here.
    pub const ALL: [Self; 3] = [Self::Read, Self::Close, Self::Open];

    /// The words in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "READ",
            Self::Close => "CLOSE",
            Self::Open => "OPEN",
        }
    }

    /// The waits of its longest course, in their order.
    pub fn waits(self, config: &Config) -> Vec<Wait> {
        let head = [Wait::Idle, Wait::UnknownAbort];
        let plain = [Wait::Idle, Wait::UnknownAbort, Wait::FirstBlock, Wait::Abort];
        let close =
            || [&head[..], &[Wait::FirstBlock], &plain].into_iter().flatten().copied().collect();
        match self {
            Self::Read => {
                let two = (config.blocks == Blocks::Two).then_some(Wait::Continuation);
                let begun = head.into_iter().chain([Wait::FirstBlock]);
                begun.chain(two).chain([Wait::Abort]).collect()
            }
            Self::Close => close(),
            Self::Open => {
                let mut waits: Vec<Wait> = close();
                waits.push(Wait::Ready);
                // The last poll begins just before the budget is over, and runs its course.
                waits.extend(plain);
                waits.extend([Wait::Idle, Wait::UnknownAbort, Wait::Opened, Wait::Abort]);
                waits.extend(plain);
                waits.extend(plain);
                waits
            }
        }
    }

    /// Register accesses besides those of the waits, at most.
    fn accesses(self, config: &Config) -> u64 {
        let exchange = |bytes: u64, payload: u64| {
            // A sample before each byte of the reply.
            let reply = 2 + payload + u64::from(DRAIN_MAX) + TEXT_MAX + 1;
            bytes + 2 * reply + BESIDES_MAX
        };
        let tail = u64::from(HOST_MAX + PIN_BYTES);
        match self {
            Self::Read => exchange(5, config.request_max.into()),
            Self::Close => 2 * exchange(3, 0),
            Self::Open => {
                let polls = u64::from(config.bounds.ready / config.bounds.ready_poll.max(1)) + 2;
                2 * exchange(3, 0)
                    + polls * exchange(3, 0)
                    + exchange(6 + tail, 0)
                    + 2 * exchange(2, 0)
            }
        }
    }

    /// The longest it can last.
    pub fn most_ns(self, config: &Config, machine: Machine) -> u64 {
        let waits = self.waits(config);
        let waits: u64 = waits.into_iter().map(|wait| wait.most_ns(config, machine)).sum();
        waits + self.accesses(config) * (machine.access_ns + machine.fence_ns)
    }
}
