//! The READ client, its register interface and the firmware, as a machine of phases.
//!
//! ```text
//!  connected ─► wait_idle ─► clear ─► push ─► wait_first ─► look ─► first ─► header ─► payload
//!      ▲            │                             │           └► reject        │        │    │
//!      │ data, idle └──────────► abort ◄──────────┘                            ▼        ▼    ▼
//!    judge ◄─ accept_last ◄─ text ◄─ more_left ◄─────────────────────────── drain ◄── block_end
//!      │  ◄── wait_abort ◄── abort                                                       │
//!      ▼                                          payload ◄─ wait_more ◄─ accept_more ◄──┘
//!    dead ─► (CLOSE, the same way) ─► finished
//! ```
//!
//! # What is generated
//!
//! * Which strobe may be written where: every cell of [`permission`].
//! * Every block that a firmware may show: every word of the reply grammar of [`super::holes`], with
//!   the length and the mark that the grammar gives it, and whether the clauses then see a hole.
//! * What a reply without a count means: the classes of [`super::holes::refusal`].
//! * Sizes, bounds and the number of blocks: the scaled configuration of [`super::system`].
//!
//! # What is written by hand
//!
//! The client's phases: the core keeps its own to itself. A test follows each reply of the grammar
//! and holds the end in this machine against the one that the clauses demand and the core has.
//!
//! # Left out
//!
//! Bytes (they are counted), handles, codes, fences, the clock of the FPGA on which a block seems
//! empty, an abort by somebody else, a block that never ends; and an abort is waited for as long as
//! its own bound says, though the core waits for the rest of the command's if that is longer. After
//! a wedge the session is over (ER-11). One fault in a session at most.
mod claims;
mod client;
mod firmware;

use firmware_core::m3_read::config::{Blocks, Config};
use firmware_core::m3_read::handshake::{Permission, State, Strobe, permission};
use firmware_core::m3_read::preset::Arm;
use firmware_core::m3_read::registers::Status;

use super::system::scaled;
use crate::machine::{Expression, Machine, Variable, all, any, is, not, of};
pub use claims::TWINS;
pub use firmware::{continuation, first_block, without_a_count};

/// Where the client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// In session, between READs.
    Connected,
    /// Waits for the idle state.
    WaitIdle,
    /// Clears the refusal bit.
    Clear,
    /// Pushes the command.
    Push,
    /// Waits for the first block.
    WaitFirst,
    /// Looks whether the push was refused.
    Look,
    /// Clears the refusal bit of a refused push.
    Reject,
    /// Looks whether there is a reply at all.
    First,
    /// Reads the header.
    Header,
    /// Reads the payload.
    Payload,
    /// Judges a block that ended with bytes owed.
    BlockEnd,
    /// Accepts it for the continuation.
    AcceptMore,
    /// Waits for the continuation.
    WaitMore,
    /// Drops what is left.
    Drain,
    /// Looks whether more is announced.
    MoreLeft,
    /// Reads the status text.
    Text,
    /// Accepts the last block.
    AcceptLast,
    /// Aborts.
    Abort,
    /// Waits until the abort is served.
    WaitAbort,
    /// Says what came of it.
    Judge,
    /// The stream has ended.
    Dead,
    /// The session is over.
    Finished,
}

const PHASES: &[&str] = &[
    "connected",
    "wait_idle",
    "clear",
    "push",
    "wait_first",
    "look",
    "reject",
    "first",
    "header",
    "payload",
    "block_end",
    "accept_more",
    "wait_more",
    "drain",
    "more_left",
    "text",
    "accept_last",
    "abort",
    "wait_abort",
    "judge",
    "dead",
    "finished",
];

impl From<Phase> for u8 {
    fn from(phase: Phase) -> Self {
        phase as Self
    }
}

/// What a reply is, as its header and its status line say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// There is no reply, or no whole header.
    Nothing,
    /// A count.
    Data,
    /// No count, and the idle line.
    Idle,
    /// No count, and another line.
    NotOurs,
    /// The end, with 01.
    Clean,
    /// The end, with 05.
    WithoutNotify,
    /// The end, with another status.
    Sticky,
}

const KINDS: &[&str] =
    &["nothing", "data", "idle", "not_ours", "clean", "without_notify", "sticky"];

impl From<Kind> for u8 {
    fn from(kind: Kind) -> Self {
        kind as Self
    }
}

/// How the last READ ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// None has.
    None,
    /// With data.
    Data,
    /// Nothing yet.
    Idle,
    /// With a handle that is not ours.
    NotOurs,
    /// With the end of the stream: 01 or 05.
    Gone,
    /// Dead, and ours to close.
    Dead,
    /// With a hole.
    Hole,
    /// In no time.
    TimedOut,
    /// Refused.
    Rejected,
    /// With a wedge.
    Wedged,
}

const OUTCOMES: &[&str] = &[
    "none",
    "data",
    "idle",
    "not_ours",
    "gone",
    "dead",
    "hole",
    "timed_out",
    "rejected",
    "wedged",
];

impl From<Outcome> for u8 {
    fn from(outcome: Outcome) -> Self {
        outcome as Self
    }
}

/// Why a command was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Reason {
    None,
    NotIdle,
    Late,
    Holed,
    Wedged,
    Rejected,
}

const REASONS: &[&str] = &["none", "not_idle", "late", "holed", "wedged", "rejected"];

impl From<Reason> for u8 {
    fn from(reason: Reason) -> Self {
        reason as Self
    }
}

/// The protocol states, by their bits.
const STATES: &[&str] = &["idle", "busy", "data_last", "data_more"];

/// A line of the client that is wrong on purpose: each must be found by every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// A continuation is accepted behind a block that was not full.
    AcceptOverHole,
    /// A block is accepted without looking for unread bytes.
    AcceptUnread,
    /// The wait for a continuation has no bound.
    EndlessContinuation,
    /// Any line with `$FFFF` is idle.
    AnyLineIsIdle,
    /// The end of the stream leaves the session to be closed.
    CloseAfterEnd,
    /// A hole is reported as data.
    HoleIsData,
}

impl Planted {
    /// Every one.
    pub const ALL: [Self; 6] = [
        Self::AcceptOverHole,
        Self::AcceptUnread,
        Self::EndlessContinuation,
        Self::AnyLineIsIdle,
        Self::CloseAfterEnd,
        Self::HoleIsData,
    ];

    /// Its name in the name of a machine.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AcceptOverHole => "accept_over_hole",
            Self::AcceptUnread => "accept_unread",
            Self::EndlessContinuation => "endless_continuation",
            Self::AnyLineIsIdle => "any_line_is_idle",
            Self::CloseAfterEnd => "close_after_end",
            Self::HoleIsData => "hole_is_data",
        }
    }
}

/// The variables, and what the rules need to know.
struct Parts {
    config: Config,
    planted: Option<Planted>,
    phase: Variable,
    fpga: Variable,
    abort: Variable,
    error: Variable,
    left: Variable,
    header: Variable,
    total: Variable,
    got: Variable,
    kind: Variable,
    second: Variable,
    waited: Variable,
    hole: Variable,
    flawed: Variable,
    faulted: Variable,
    reason: Variable,
    outcome: Variable,
    closing: Variable,
    owned: Variable,
}

/// The machine of an arm, as it is or with one line wrong.
pub fn machine(arm: Arm, planted: Option<Planted>) -> Machine {
    let suffix = planted.map_or_else(String::new, |it| format!("_{}", it.name()));
    let name = format!("m3_read_arm_{}{suffix}", arm.name().to_lowercase());
    let mut machine = Machine::new(
        name,
        &[
            "The READ client, its register interface and the firmware that answers, as phases.",
            "`left` bytes are unread in the block shown; the header announced `total`, `got` have",
            "come. `flawed`: the reply breaks a rule. `second`: a continuation was asked for.",
        ],
    );
    let config = scaled(arm);
    let first = u8::try_from(config.first_block_bytes).expect("the scaled sizes are small");
    let asked = u8::try_from(config.request_max).expect("the scaled sizes are small");
    let longest = u8::try_from(config.bounds.command).expect("the scaled bounds are small");
    let parts = Parts {
        phase: machine.named("phase", PHASES, Phase::Connected.into()),
        fpga: machine.named("fpga", STATES, 0),
        abort: machine.number("abort", 1),
        error: machine.number("error", 1),
        left: machine.number("left", first + 3),
        header: machine.number("header", 2),
        total: machine.number("total", asked.max(first + 1) + 1),
        got: machine.number("got", asked),
        kind: machine.named("kind", KINDS, 0),
        second: machine.number("second", 1),
        waited: machine.number("waited", longest),
        hole: machine.number("hole", 1),
        flawed: machine.number("flawed", 1),
        faulted: machine.number("faulted", 1),
        reason: machine.named("reason", REASONS, 0),
        outcome: machine.named("outcome", OUTCOMES, 0),
        closing: machine.number("closing", 1),
        owned: machine.declare("owned", crate::machine::Values::UpTo(1), 1),
        config,
        planted,
    };
    client::rules(&mut machine, &parts);
    firmware::rules(&mut machine, &parts);
    claims::claims(&mut machine, &parts);
    machine
}

impl Parts {
    /// Payload bytes of a full first block.
    fn full(&self) -> u8 {
        u8::try_from(self.config.first_block_bytes).expect("the scaled sizes are small")
    }

    /// Bytes that a READ asks for.
    fn asked(&self) -> u8 {
        u8::try_from(self.config.request_max).expect("the scaled sizes are small")
    }

    /// Whether the header still owes bytes.
    fn owes(&self) -> Expression {
        of(self.got).less(of(self.total).at_most(self.asked()))
    }

    /// Whether the header announces more than was asked for.
    fn over(&self) -> Expression {
        Expression::from(self.asked()).less(self.total)
    }

    /// Whether a line is wrong on purpose.
    fn has(&self, planted: Planted) -> bool {
        self.planted == Some(planted)
    }
}

/// How the last READ ended in a state of such a machine, and whether the session is ours.
pub fn ended(machine: &Machine, word: u64) -> (String, bool) {
    let value = |name: &str| {
        let at = machine.variables.iter().position(|declared| declared.name == name);
        let variable = machine.variable(at.expect("every READ machine has it"));
        machine.name_of(variable, machine.value(word, variable))
    };
    (value("outcome"), value("owned") == "1")
}

/// Where the strobe may be written, as far as the registers say: a question to the whole matrix.
fn granted(parts: &Parts, strobe: Strobe) -> Expression {
    let mut cells = Vec::new();
    for (bits, _) in (0_u8..).zip(State::ALL) {
        for (data, unread) in [(0, false), (Status::DATA_AVAILABLE, true)] {
            for (flag, pending) in [(0, 0_u8), (Status::ABORT_PENDING, 1)] {
                let two = parts.config.blocks == Blocks::Two;
                let also = match permission(Status(bits << 4 | data | flag), strobe) {
                    Permission::Granted => None,
                    Permission::ForContinuation if two => Some(parts.owes()),
                    Permission::ForContinuation
                    | Permission::UnreadBytes
                    | Permission::AbortPending => continue,
                };
                let none_left = is(parts.left, 0);
                let left = if unread { not(none_left) } else { none_left };
                let cell = [is(parts.fpga, bits), left, is(parts.abort, pending)];
                cells.push(all(cell.into_iter().chain(also)));
            }
        }
    }
    any(cells)
}
