//! A cost table's own file: every row with three columns and where its figures come from.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Count, Millis};
use crate::cost::{Cost, CostRow, CostTable, Provenance};

/// What each operation takes on one board with one build of the firmware.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "CostTable", deny_unknown_fields)]
pub struct CostTableFile {
    /// The format's version: 1.
    pub version: u32,
    /// The table's name in reports.
    pub name: String,
    /// The board and its clock.
    pub board: String,
    /// The compiler's flags.
    pub flags: String,
    /// Every row; none may be missing.
    pub rows: RowsFile,
}

/// Every row of a table, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Rows", deny_unknown_fields)]
pub struct RowsFile {
    /// One X25519 Diffie-Hellman.
    pub x25519_ms: RowFile,
    /// The symmetric part of sealing or opening a box.
    pub box_symmetric_ms: RowFile,
    /// Entering a peer, beside its X25519.
    pub peer_add_ms: RowFile,
    /// A peer update without cryptography.
    pub peer_update_ms: RowFile,
    /// A DISCO packet refused before any cryptography.
    pub disco_reject_ms: RowFile,
    /// One tunnel packet decrypted.
    pub tunnel_data_ms: RowFile,
    /// One tunnel packet refused.
    pub tunnel_reject_ms: RowFile,
    /// One write of the peer cache; it stalls both cores.
    pub store_write_ms: RowFile,
    /// One datagram taken from the socket and sorted into its queue, on core 0.
    pub receive_datagram_ms: RowFile,
    /// One frame taken from the relay and sorted, on core 0.
    pub relay_frame_ms: RowFile,
}

/// One row; its three figures are in milliseconds, as the row's name says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Row", deny_unknown_fields)]
pub struct RowFile {
    /// The least seen.
    pub best: Millis,
    /// The usual; not below the best.
    pub typical: Millis,
    /// The most seen; not below the usual.
    pub worst: Millis,
    /// How many operations were timed, where that is known.
    #[serde(default)]
    pub n: Option<Count<{ u32::MAX as u64 }>>,
    /// How the figures are known.
    pub provenance: ProvenanceFile,
    /// Who says so.
    pub source: String,
    /// What a reader should know, such as a second source that differs.
    #[serde(default)]
    pub note: Option<String>,
}

/// How a figure is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Provenance", rename_all = "snake_case")]
pub enum ProvenanceFile {
    /// Read off a board.
    Measured,
    /// Said by a document, without a measurement.
    Quoted,
    /// Computed from other figures.
    Derived,
    /// Nobody knows; a parameter.
    Assumed,
}

impl RowsFile {
    /// The row of that name.
    pub const fn row(&self, row: CostRow) -> &RowFile {
        match row {
            CostRow::X25519 => &self.x25519_ms,
            CostRow::BoxSymmetric => &self.box_symmetric_ms,
            CostRow::PeerAdd => &self.peer_add_ms,
            CostRow::PeerUpdate => &self.peer_update_ms,
            CostRow::DiscoReject => &self.disco_reject_ms,
            CostRow::TunnelData => &self.tunnel_data_ms,
            CostRow::TunnelReject => &self.tunnel_reject_ms,
            CostRow::StoreWrite => &self.store_write_ms,
            CostRow::ReceiveDatagram => &self.receive_datagram_ms,
            CostRow::RelayFrame => &self.relay_frame_ms,
        }
    }
}

impl CostTableFile {
    /// The file of a table.
    pub fn of(table: &CostTable) -> Self {
        let row = |row: CostRow| RowFile::of(table.row(row));
        Self {
            version: super::VERSION,
            name: table.name.clone(),
            board: table.board.clone(),
            flags: table.flags.clone(),
            rows: RowsFile {
                x25519_ms: row(CostRow::X25519),
                box_symmetric_ms: row(CostRow::BoxSymmetric),
                peer_add_ms: row(CostRow::PeerAdd),
                peer_update_ms: row(CostRow::PeerUpdate),
                disco_reject_ms: row(CostRow::DiscoReject),
                tunnel_data_ms: row(CostRow::TunnelData),
                tunnel_reject_ms: row(CostRow::TunnelReject),
                store_write_ms: row(CostRow::StoreWrite),
                receive_datagram_ms: row(CostRow::ReceiveDatagram),
                relay_frame_ms: row(CostRow::RelayFrame),
            },
        }
    }
}

impl RowFile {
    fn of(cost: &Cost) -> Self {
        Self {
            best: Millis(cost.best),
            typical: Millis(cost.typical),
            worst: Millis(cost.worst),
            n: cost.timed.map(|timed| Count::new(timed.min(u32::MAX.into()))),
            provenance: match cost.provenance {
                Provenance::Measured => ProvenanceFile::Measured,
                Provenance::Quoted => ProvenanceFile::Quoted,
                Provenance::Derived => ProvenanceFile::Derived,
                Provenance::Assumed => ProvenanceFile::Assumed,
            },
            source: cost.source.clone(),
            note: cost.note.clone(),
        }
    }

    /// Whether no column is below the one before it.
    pub fn is_ordered(&self) -> bool {
        self.best.0 <= self.typical.0 && self.typical.0 <= self.worst.0
    }

    /// The row as runs use it.
    pub fn cost(&self) -> Cost {
        Cost {
            best: self.best.0,
            typical: self.typical.0,
            worst: self.worst.0,
            timed: self.n.map(Count::get),
            provenance: match self.provenance {
                ProvenanceFile::Measured => Provenance::Measured,
                ProvenanceFile::Quoted => Provenance::Quoted,
                ProvenanceFile::Derived => Provenance::Derived,
                ProvenanceFile::Assumed => Provenance::Assumed,
            },
            source: self.source.clone(),
            note: self.note.clone(),
        }
    }
}
