//! The commands the client sends, byte by byte, and how long each may take.
//!
//! ```text
//!   03 05 interface                       GET_IPADDR
//!   03 09 handle                          CLOSE
//!   03 10 handle lenLo lenHi              READ
//!   03 11 handle data[1..892]             WRITE
//!   03 21 portLo portHi trust flags tail  OPEN_TLS, tail = [32-byte pin] host, no trailing $00
//!   03 23 FF                              INFO, exactly three bytes
//!   03 25                                 RELEASE, exactly two bytes
//! ```
//!
//! Clauses: S 0, S 1.1 open, S 1.1 tail grammar, S 1.3, S 1.5, S 1.7, S 1.8, S 4.3 (the bound lies
//! over it), ER-1, ER-4, S:2012-2013.
use super::config::Bounds;
use super::input::{OpenRequest, Trust};
use super::output::Access;
use super::registers::Register;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The network target: byte 0 of every command.
pub const TARGET_NETWORK: u8 = 0x03;
/// Payload bytes of one WRITE at most: the command queue counts 895 bytes, three of them not data.
pub const WRITE_PIECE_MAX: u16 = 892;
/// The longest host name that `OPEN_TLS` takes; the shortest is one byte.
pub const HOST_MAX: u16 = 253;
/// Bytes of a pin: the SHA-256 digest of a public key.
pub const PIN_BYTES: u16 = 32;

/// A command to the network target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Command {
    /// $05: the addresses of one network interface.
    Address {
        /// Number of the interface.
        interface: u8,
    },
    /// $09: closes a session.
    Close {
        /// The session's handle, 0..=15.
        handle: u8,
    },
    /// $10: up to `length` bytes of plaintext.
    Read {
        /// The session's handle.
        handle: u8,
        /// Bytes asked for, 1..=1472.
        length: u16,
    },
    /// $11: one piece of plaintext to send.
    Write {
        /// The session's handle.
        handle: u8,
        /// Where the piece begins in the caller's buffer.
        offset: u16,
        /// Bytes of the piece, 1..=892.
        length: u16,
    },
    /// $21: opens a TLS session.
    Open(OpenRequest),
    /// $23 $FF: the capability record.
    Info,
    /// $25: closes every session that no command has claimed.
    Release,
}

impl Command {
    /// The command number, byte 1.
    pub const fn number(self) -> u8 {
        match self {
            Self::Address { .. } => 0x05,
            Self::Close { .. } => 0x09,
            Self::Read { .. } => 0x10,
            Self::Write { .. } => 0x11,
            Self::Open(_) => 0x21,
            Self::Info => 0x23,
            Self::Release => 0x25,
        }
    }

    /// How many bytes the command has.
    pub const fn bytes(self) -> u16 {
        match self {
            Self::Release => 2,
            Self::Address { .. } | Self::Close { .. } | Self::Info => 3,
            Self::Read { .. } => 5,
            Self::Write { length, .. } => length.saturating_add(3),
            Self::Open(request) => request.tail_bytes().saturating_add(6),
        }
    }

    /// The write that sends byte `index` of the command.
    pub(super) const fn write(self, index: u16) -> Access {
        let value = match (self, index) {
            (_, 0) => TARGET_NETWORK,
            (command, 1) => command.number(),
            (Self::Address { interface }, _) => interface,
            (
                Self::Close { handle } | Self::Read { handle, .. } | Self::Write { handle, .. },
                2,
            ) => handle,
            (Self::Read { length, .. }, 3) => length.to_le_bytes()[0],
            (Self::Read { length, .. }, _) => length.to_le_bytes()[1],
            (Self::Write { offset, .. }, index) => {
                return Access::WriteSource { offset: offset.saturating_add(index - 3) };
            }
            (Self::Open(request), 2) => request.port.to_le_bytes()[0],
            (Self::Open(request), 3) => request.port.to_le_bytes()[1],
            (Self::Open(request), 4) => request.trust.byte(),
            (Self::Open(request), 5) => request.flags(),
            (Self::Open(_), index) => return Access::WriteSource { offset: index - 6 },
            (Self::Info, _) => 0xFF,
            // Two bytes and no more; what lies behind them is never asked for.
            (Self::Close { .. } | Self::Release, _) => 0x00,
        };
        Access::Write { register: Register::Command, value }
    }

    /// How long the first block of the reply may take, in clock units from the push (ER-1).
    pub const fn bound(self, bounds: &Bounds) -> u16 {
        match self {
            Self::Open(_) => bounds.open,
            Self::Address { .. }
            | Self::Close { .. }
            | Self::Read { .. }
            | Self::Write { .. }
            | Self::Info
            | Self::Release => bounds.command,
        }
    }

    /// How many payload bytes a READ asked for; `None` for every other command.
    pub(super) const fn read_length(self) -> Option<u16> {
        match self {
            Self::Read { length, .. } => Some(length),
            Self::Address { .. }
            | Self::Close { .. }
            | Self::Write { .. }
            | Self::Open(_)
            | Self::Info
            | Self::Release => None,
        }
    }
}

impl Trust {
    /// Byte 4 of `OPEN_TLS`.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Bundle => 0,
            Self::Pin => 2,
        }
    }
}
