//! The operations that cost enough time to matter, by name. What each takes is a cost table's to
//! say: it depends on the compiler's flags and on the board, not on the logic.
//!
//! `X` below is one X25519 Diffie-Hellman; `S` is the symmetric part of a NaCl box.
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A costed operation. A step of a core performs at most one and names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum CostKey {
    /// A DISCO packet refused before any cryptography.
    DiscoReject,
    /// A box opened with a shared key that had to be computed: `X + S`.
    BoxOpenComputed,
    /// A box opened with a shared key from the cache: `S`.
    BoxOpenCached,
    /// A box sealed with a shared key that had to be computed: `X + S`.
    BoxSealComputed,
    /// A box sealed with a shared key from the cache: `S`.
    BoxSealCached,
    /// A peer entered into the tunnel's table, its static shared secret computed: `X`.
    PeerAdd,
    /// A peer update that needs no cryptography: refresh, patch, removal, refusal.
    PeerUpdate,
    /// One established tunnel packet decrypted.
    TunnelData,
    /// A tunnel packet that is malformed, or a copy of one already seen.
    TunnelReject,
    /// A handshake initiation received, checked and answered: `4 X`.
    InitiationReceived,
    /// A handshake response received: `2 X`.
    ResponseReceived,
    /// The peer cache written to flash.
    StoreWrite,
}

impl CostKey {
    /// Every operation, in the order of declaration.
    pub const ALL: [Self; 12] = [
        Self::DiscoReject,
        Self::BoxOpenComputed,
        Self::BoxOpenCached,
        Self::BoxSealComputed,
        Self::BoxSealCached,
        Self::PeerAdd,
        Self::PeerUpdate,
        Self::TunnelData,
        Self::TunnelReject,
        Self::InitiationReceived,
        Self::ResponseReceived,
        Self::StoreWrite,
    ];

    /// How many X25519 operations this is.
    pub const fn x25519_count(self) -> u64 {
        match self {
            Self::InitiationReceived => 4,
            Self::ResponseReceived => 2,
            Self::BoxOpenComputed | Self::BoxSealComputed | Self::PeerAdd => 1,
            Self::DiscoReject
            | Self::BoxOpenCached
            | Self::BoxSealCached
            | Self::PeerUpdate
            | Self::TunnelData
            | Self::TunnelReject
            | Self::StoreWrite => 0,
        }
    }
}
