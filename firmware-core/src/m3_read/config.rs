//! Every tunable of the client with its range, and the check that names the first broken rule.
use super::deadline::BOUND_UNITS_MAX;
use super::output::Access;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The most a READ may ask for (S:2012).
pub const REQUEST_MAX: u16 = 1_472;
/// Payload bytes of a full first block: with its header it is one byte short of the response RAM.
pub const FIRST_BLOCK_MAX: u16 = 893;
/// Payload bytes of a full continuation.
pub const CONTINUATION_MAX: u16 = 895;
/// Bytes of the response RAM: a block that fills it never ends.
pub const RESPONSE_RAM: u16 = 896;

/// The client's tunables. [`Config::check`] says whether they make sense together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Config {
    /// Bytes a READ asks for at most, 1..=1472; less when the ring has less room.
    pub request_max: u16,
    /// Payload bytes of a full first block, 1..=893: only behind such a block a continuation is due.
    pub first_block_bytes: u16,
    /// How many blocks a reply may have.
    pub blocks: Blocks,
    /// After which accesses the client pauses.
    pub fences: Fences,
    /// How long it waits for what.
    pub bounds: Bounds,
}

/// How many blocks a reply to READ may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Blocks {
    /// One; any Data More is a hole.
    One,
    /// One, and one continuation behind a full first block.
    Two,
}

/// After which accesses the client spends a fence: a fixed delay loop of 5 474 cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Fences {
    /// After each read of a register.
    pub reads: bool,
    /// After each write of one.
    pub writes: bool,
}

/// Bounds in units of the deadline clock (10.0 ms on NTSC, 10.38 ms on PAL), 1..=32767 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Bounds {
    /// `OPEN_TLS`, from its push.
    pub open: u16,
    /// Every other command, from its push; the wait for idle before a command; each continuation,
    /// from the accept of the block before it (ER-1 N-1).
    pub command: u16,
    /// From an abort to bit 2 clear.
    pub post_abort: u16,
    /// The same when it is not known how long ago the command was pushed.
    pub unknown_push: u16,
    /// Polling for the firmware to become ready before Open (ER-10).
    pub ready: u16,
    /// Between two of these polls.
    pub ready_poll: u16,
}

impl Bounds {
    /// The bounds of every published client: 45, 12, 12, 45, 30 and 1 s.
    pub const PUBLISHED: Self = Self {
        open: 4_500,
        command: 1_200,
        post_abort: 1_200,
        unknown_push: 4_500,
        ready: 3_000,
        ready_poll: 100,
    };
}

/// A rule that a configuration breaks; the first one in the order of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConfigError {
    /// `request_max` is 0: the firmware refuses such a READ.
    RequestZero,
    /// `request_max` is more than a READ may ask for.
    RequestOverLimit(u16),
    /// `first_block_bytes` is 0.
    FirstBlockZero,
    /// `first_block_bytes` and the header would fill the response RAM or more: such a block never
    /// ends.
    FirstBlockNeverEnds(u16),
    /// `request_max` asks for more than the response RAM holds, and `blocks` allows only one.
    RequestNeedsTwoBlocks(u16),
    /// `request_max` asks for more than a first block and one continuation hold.
    RequestNeedsThreeBlocks(u16),
    /// A bound is 0, or longer than half the clock's range.
    BoundOutOfRange(BoundField, u16),
}

/// A field of [`Bounds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundField {
    /// [`Bounds::open`].
    Open,
    /// [`Bounds::command`].
    Command,
    /// [`Bounds::post_abort`].
    PostAbort,
    /// [`Bounds::unknown_push`].
    UnknownPush,
    /// [`Bounds::ready`].
    Ready,
    /// [`Bounds::ready_poll`].
    ReadyPoll,
}

impl ConfigError {
    /// The name of the field to change.
    pub const fn field(self) -> &'static str {
        match self {
            Self::RequestZero
            | Self::RequestOverLimit(_)
            | Self::RequestNeedsTwoBlocks(_)
            | Self::RequestNeedsThreeBlocks(_) => "request_max",
            Self::FirstBlockZero | Self::FirstBlockNeverEnds(_) => "first_block_bytes",
            Self::BoundOutOfRange(field, _) => match field {
                BoundField::Open => "bounds.open",
                BoundField::Command => "bounds.command",
                BoundField::PostAbort => "bounds.post_abort",
                BoundField::UnknownPush => "bounds.unknown_push",
                BoundField::Ready => "bounds.ready",
                BoundField::ReadyPoll => "bounds.ready_poll",
            },
        }
    }
}

impl core::fmt::Display for ConfigError {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let field = self.field();
        match self {
            Self::RequestZero => write!(out, "{field} is 0; a READ asks for 1..={REQUEST_MAX}"),
            Self::RequestOverLimit(value) => {
                write!(out, "{field} is {value}; a READ asks for 1..={REQUEST_MAX}")
            }
            Self::FirstBlockZero => write!(out, "{field} is 0; a block holds 1 byte or more"),
            Self::FirstBlockNeverEnds(value) => write!(
                out,
                "{field} is {value}; with its header a block must stay below {RESPONSE_RAM} bytes"
            ),
            Self::RequestNeedsTwoBlocks(value) => {
                write!(out, "{field} is {value}; one block cannot hold that much")
            }
            Self::RequestNeedsThreeBlocks(value) => {
                write!(out, "{field} is {value}; two blocks cannot hold that much")
            }
            Self::BoundOutOfRange(_, value) => {
                write!(out, "{field} is {value}; a bound is 1..={BOUND_UNITS_MAX} units")
            }
        }
    }
}

impl core::error::Error for ConfigError {}

impl Config {
    /// Whether the fields make sense together.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub const fn check(&self) -> Result<(), ConfigError> {
        let request = self.request_max;
        if request == 0 {
            return Err(ConfigError::RequestZero);
        }
        if request > REQUEST_MAX {
            return Err(ConfigError::RequestOverLimit(request));
        }
        if self.first_block_bytes == 0 {
            return Err(ConfigError::FirstBlockZero);
        }
        if self.first_block_bytes > FIRST_BLOCK_MAX {
            return Err(ConfigError::FirstBlockNeverEnds(self.first_block_bytes));
        }
        match self.blocks {
            // 894 is what firmware before multi-block replies took: its block fills the RAM.
            Blocks::One if request > RESPONSE_RAM - 2 => {
                return Err(ConfigError::RequestNeedsTwoBlocks(request));
            }
            Blocks::Two if request > self.first_block_bytes + CONTINUATION_MAX => {
                return Err(ConfigError::RequestNeedsThreeBlocks(request));
            }
            Blocks::One | Blocks::Two => {}
        }
        self.bounds.check()
    }

    /// Whether the client pauses after `access`. A clock reading is not of this interface.
    pub const fn fence_after(&self, access: Access) -> bool {
        match access {
            Access::Read(_) => self.fences.reads,
            Access::Write { .. } | Access::WriteSource { .. } => self.fences.writes,
            Access::Clock => false,
        }
    }
}

impl Bounds {
    const fn check(&self) -> Result<(), ConfigError> {
        let all = [
            (BoundField::Open, self.open),
            (BoundField::Command, self.command),
            (BoundField::PostAbort, self.post_abort),
            (BoundField::UnknownPush, self.unknown_push),
            (BoundField::Ready, self.ready),
            (BoundField::ReadyPoll, self.ready_poll),
        ];
        let mut index = 0;
        while index < all.len() {
            let (field, units) = all[index];
            if units == 0 || units > BOUND_UNITS_MAX {
                return Err(ConfigError::BoundOutOfRange(field, units));
            }
            index += 1;
        }
        Ok(())
    }
}
