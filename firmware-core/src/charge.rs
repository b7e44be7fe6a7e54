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
    /// A handshake initiation made and sent: `2 X`.
    InitiationSent,
    /// A handshake initiation that was opened and then refused: `X`.
    InitiationRefused,
    /// One tunnel packet encrypted: by the network stack's task when an application sends, by the
    /// manager for a keepalive.
    TunnelDataSent,
}

impl CostKey {
    /// Every operation, in the order of declaration.
    pub const ALL: [Self; 15] = [
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
        Self::InitiationSent,
        Self::InitiationRefused,
        Self::TunnelDataSent,
    ];

    /// How many X25519 operations this is.
    pub const fn x25519_count(self) -> u64 {
        match self {
            Self::InitiationReceived => 4,
            Self::ResponseReceived | Self::InitiationSent => 2,
            Self::BoxOpenComputed
            | Self::BoxSealComputed
            | Self::PeerAdd
            | Self::InitiationRefused => 1,
            Self::DiscoReject
            | Self::BoxOpenCached
            | Self::BoxSealCached
            | Self::PeerUpdate
            | Self::TunnelData
            | Self::TunnelReject
            | Self::StoreWrite
            | Self::TunnelDataSent => 0,
        }
    }

    /// Whether the network stack's lock is held meanwhile, so that nothing is sent by anybody: the
    /// firmware processes every tunnel packet and sends every initiation under it.
    pub const fn holds_network_lock(self) -> bool {
        match self {
            Self::TunnelData
            | Self::TunnelReject
            | Self::InitiationReceived
            | Self::InitiationRefused
            | Self::ResponseReceived
            | Self::InitiationSent
            | Self::TunnelDataSent => true,
            Self::DiscoReject
            | Self::BoxOpenComputed
            | Self::BoxOpenCached
            | Self::BoxSealComputed
            | Self::BoxSealCached
            | Self::PeerAdd
            | Self::PeerUpdate
            | Self::StoreWrite => false,
        }
    }
}
