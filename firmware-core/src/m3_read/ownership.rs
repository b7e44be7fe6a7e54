//! Whether the session's handle is still ours to name: after 01, 05 or "not ours" the number may
//! already belong to another socket.
//!
//! ```text
//!   Open ──► Owned(handle) ──► CLOSE answered or aborted ──► Nothing
//!                └── 01, 05, $FFFF without the idle line ──► Nothing, and no CLOSE
//! ```
//!
//! Clauses: S 1.6, S 1.6 M10, ER-9.
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Handles there are: 0 is one of them (ER-9).
pub const HANDLES: u8 = 16;

/// What the client may close.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Ownership {
    /// No session.
    #[default]
    Nothing,
    /// The session with this handle, below [`HANDLES`].
    Owned(u8),
}

impl Ownership {
    /// The handle, while it is ours.
    pub const fn handle(self) -> Option<u8> {
        match self {
            Self::Nothing => None,
            Self::Owned(handle) => Some(handle),
        }
    }
}

/// The state of the connection as the application sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Connection {
    /// $00: none, or ended in order.
    #[default]
    Closed,
    /// $01: READ and WRITE are possible.
    Connected,
    /// $02: broken; the caller closes.
    Error,
    /// $03: the last Open failed.
    ConnectFail,
}

impl Connection {
    /// The byte that the client stores.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Connected => 1,
            Self::Error => 2,
            Self::ConnectFail => 3,
        }
    }
}
