//! What the client asks of the bus, what it gives to the ring, and how a request ends.
use super::copy::Hole;
use super::error_code::ErrorCode;
use super::registers::Register;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The result of a step: at most one byte for the ring, then what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[must_use]
pub struct Output {
    /// A payload byte, visible to the consumer from now on.
    pub store: Option<Store>,
    /// What the driver does next.
    pub next: Next,
}

/// A payload byte and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Store {
    /// Offset in the ring, below 4 096.
    pub at: u16,
    /// The byte.
    pub byte: u8,
}

/// What the driver does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Next {
    /// Make this access and step again with its answer.
    Access(Access),
    /// The request has ended; the next input is a request.
    Done(Done),
    /// The input answers nothing that was asked, and changed nothing: the access asked for before is
    /// still outstanding (and must not be made twice), or there is none.
    Unexpected,
}

/// One bus access, or one reading of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Access {
    /// Read a register; answered by [`Input::Byte`](super::input::Input::Byte).
    Read(Register),
    /// Write a register; answered by [`Input::Written`](super::input::Input::Written).
    Write {
        /// Where: $DF1C or $DF1D.
        register: Register,
        /// What.
        value: u8,
    },
    /// Write a byte of the caller's buffer to $DF1D; answered by
    /// [`Input::Written`](super::input::Input::Written).
    WriteSource {
        /// Offset in the buffer.
        offset: u16,
    },
    /// Read the deadline clock; answered by [`Input::Clock`](super::input::Input::Clock).
    Clock,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Done {
    /// The interface is ready, or why not.
    Startup(Result<(), ErrorCode>),
    /// The first address that is not 0.0.0.0, or why there is none.
    Address(Result<[u8; 4], ErrorCode>),
    /// The session is open, or why not; the hint is kept by the client.
    Open(Result<(), ErrorCode>),
    /// What one READ did.
    Poll(PollOutcome),
    /// What became of the caller's buffer.
    Write(WriteOutcome),
    /// What became of the session.
    Close(CloseOutcome),
    /// How many bytes the consumer gave back.
    Consumed(u16),
}

/// How one READ ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum PollOutcome {
    /// This many bytes are in the ring, in order and without a gap.
    Data(u16),
    /// Nothing yet; still connected.
    Idle,
    /// The ring has no room; no register was touched.
    Full,
    /// There is no connection; no register was touched.
    End,
    /// The stream has ended and the handle with it: it is never named again.
    Gone(Ending),
    /// The handle is another's: neither read nor closed again.
    NotOurs,
    /// The session is dead but still ours to close.
    DeadOwned(Death),
    /// The reply has a gap or too much in it; ours to close.
    Hole(Hole),
    /// A block did not come in time and the reply was aborted; ours to close.
    TimedOut(Missing),
    /// The push was refused and the command never ran; ours to close.
    Rejected,
    /// An abort was not served in time: nothing is written any more until a reset.
    Wedged,
}

/// How a stream ended for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Ending {
    /// 01: with a close notification.
    Clean,
    /// 05: without one; data are complete only if their length is framed.
    WithoutNotify,
}

/// Why a session is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Death {
    /// $0000 with a status other than 01 and 05.
    StickyEnd,
    /// The reply was empty: a refusal, not an end (ER-12).
    NoHeader,
    /// Only one byte of the header came.
    HalfHeader,
}

/// What did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Missing {
    /// The first block, within its bound from the push.
    FirstBlock,
    /// The continuation, within its bound from the accept of the first block.
    Continuation,
    /// The reply was dropped by someone else: bit 2 rose while it was being read.
    Reply,
    /// Time itself: the deadline clock stands still.
    ClockTick,
}

/// What became of the caller's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum WriteOutcome {
    /// All of it was sent.
    Sent,
    /// There is no connection (any more); nothing was sent.
    NotConnected,
    /// This went wrong; how much was sent is unknown, and it is never sent again.
    Failed(ErrorCode),
}

/// What became of a session that was to be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum CloseOutcome {
    /// It is closed.
    Closed,
    /// There was none of ours; nothing was written.
    NothingOwned,
    /// No answer in time; an aborted CLOSE has completed, so the session is no longer ours.
    Aborted,
    /// The push was refused twice: the session is still ours.
    Rejected,
    /// The interface is wedged.
    Wedged,
}

impl PollOutcome {
    /// The number that the client returns: 0 data, 1 idle, 2 full, 3 end.
    pub const fn number(self) -> u8 {
        match self {
            Self::Data(_) => 0,
            Self::Idle => 1,
            Self::Full => 2,
            Self::End
            | Self::Gone(_)
            | Self::NotOurs
            | Self::DeadOwned(_)
            | Self::Hole(_)
            | Self::TimedOut(_)
            | Self::Rejected
            | Self::Wedged => 3,
        }
    }
}
