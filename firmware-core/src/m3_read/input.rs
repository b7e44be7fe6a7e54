//! What reaches the client: a request of the application, or the answer to its last access.
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::command::PIN_BYTES;

/// The argument of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Input {
    /// The application asks for something; only while nothing else is in progress.
    Request(Request),
    /// The byte that the register read gave.
    Byte(u8),
    /// The write was made.
    Written,
    /// The reading of the deadline clock, a 16-bit counter that runs down.
    Clock(u16),
}

/// What the application may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Request {
    /// Finds the interface, resets it, closes whatever is open and asks for the capability record.
    Startup,
    /// Asks for the address of the first network interface that has one.
    Address,
    /// Opens a TLS session, once the firmware reports ready.
    Open(OpenRequest),
    /// One READ into the ring.
    Poll,
    /// Sends the caller's buffer.
    Write {
        /// Bytes in the buffer.
        length: u16,
    },
    /// Closes the session, if it is ours.
    Close,
    /// The consumer is done with the oldest bytes of the ring.
    Consume {
        /// How many; no more than there are is taken.
        count: u16,
    },
}

/// A session to open. The caller's buffer holds the pin, if there is one, and then the host name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct OpenRequest {
    /// TCP port.
    pub port: u16,
    /// How the server is authenticated.
    pub trust: Trust,
    /// Whether a session of another version than TLS 1.3 is refused.
    pub tls13_only: bool,
    /// Bytes of the host name, without a trailing $00; 1..=253, anything else is refused locally.
    pub host_bytes: u16,
}

/// How a server is authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Trust {
    /// By the certificates built into the firmware; needs a trusted time.
    Bundle,
    /// By the digest of its public key.
    Pin,
}

impl OpenRequest {
    /// Bytes behind the fixed part of the command: pin and host.
    pub const fn tail_bytes(self) -> u16 {
        match self.trust {
            Trust::Bundle => self.host_bytes,
            Trust::Pin => self.host_bytes.saturating_add(PIN_BYTES),
        }
    }

    /// The flags byte: bit 0 asks for TLS 1.3 or nothing (S 1.7), the others must be 0.
    pub const fn flags(self) -> u8 {
        if self.tls13_only { 1 } else { 0 }
    }
}
