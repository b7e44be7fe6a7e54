//! What each operation takes, and who says so.
//!
//! The table's rows are what boards measure: one X25519, the symmetric part of a box, one flash
//! write. The core's charges are sums of them, so one figure changes everything that contains it.
use std::collections::BTreeMap;

use firmware_core::charge::CostKey;
use firmware_core::time::Duration;

/// The measured or assumed quantities that charges are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CostRow {
    /// One X25519 Diffie-Hellman.
    X25519,
    /// The symmetric part of sealing or opening a box.
    BoxSymmetric,
    /// Entering a peer, beside its X25519.
    PeerAdd,
    /// A peer update without cryptography.
    PeerUpdate,
    /// A DISCO packet refused before any cryptography.
    DiscoReject,
    /// One tunnel packet decrypted.
    TunnelData,
    /// One tunnel packet refused.
    TunnelReject,
    /// One write of the peer cache; it stalls both cores.
    StoreWrite,
    /// One datagram taken from the socket and sorted into its queue, on core 0.
    ReceiveDatagram,
    /// One frame taken from the relay and sorted, on core 0.
    RelayFrame,
}

impl CostRow {
    /// Every row.
    pub const ALL: [Self; 10] = [
        Self::X25519,
        Self::BoxSymmetric,
        Self::PeerAdd,
        Self::PeerUpdate,
        Self::DiscoReject,
        Self::TunnelData,
        Self::TunnelReject,
        Self::StoreWrite,
        Self::ReceiveDatagram,
        Self::RelayFrame,
    ];

    /// The name in cost tables and on the command line; the unit is part of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X25519 => "x25519_ms",
            Self::BoxSymmetric => "box_symmetric_ms",
            Self::PeerAdd => "peer_add_ms",
            Self::PeerUpdate => "peer_update_ms",
            Self::DiscoReject => "disco_reject_ms",
            Self::TunnelData => "tunnel_data_ms",
            Self::TunnelReject => "tunnel_reject_ms",
            Self::StoreWrite => "store_write_ms",
            Self::ReceiveDatagram => "receive_datagram_ms",
            Self::RelayFrame => "relay_frame_ms",
        }
    }
}

/// How a figure is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// Read off a board.
    Measured,
    /// Said by a document, without a measurement.
    Quoted,
    /// Computed from other figures.
    Derived,
    /// Nobody knows; a parameter.
    Assumed,
}

/// Which column of a table a run takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// The least seen.
    Best,
    /// The usual.
    #[default]
    Typical,
    /// The most seen.
    Worst,
}

/// One row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The least seen.
    pub best: Duration,
    /// The usual.
    pub typical: Duration,
    /// The most seen.
    pub worst: Duration,
    /// How it is known.
    pub provenance: Provenance,
    /// Who says so.
    pub source: String,
}

/// A cost table: every row, for one build of the firmware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostTable {
    /// Its name.
    pub name: String,
    /// The column that runs take.
    pub column: Column,
    rows: BTreeMap<CostRow, Cost>,
}
