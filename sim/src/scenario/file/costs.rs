//! `costs`: which cost table a run takes, which of its columns, and single figures that replace it.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::Millis;
use crate::cost::{Column, CostRow, CostTable};

/// What each operation takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Costs", deny_unknown_fields)]
pub struct CostsFile {
    /// The table's file, relative to the scenario's.
    pub table: String,
    /// The column: `best`, `typical` or `worst`. Default `typical`.
    #[serde(default)]
    pub column: ColumnFile,
    /// One X25519 Diffie-Hellman.
    #[serde(default)]
    pub x25519_ms: Option<Millis>,
    /// The symmetric part of sealing or opening a box.
    #[serde(default)]
    pub box_symmetric_ms: Option<Millis>,
    /// Entering a peer, beside its X25519.
    #[serde(default)]
    pub peer_add_ms: Option<Millis>,
    /// A peer update without cryptography.
    #[serde(default)]
    pub peer_update_ms: Option<Millis>,
    /// A DISCO packet refused before any cryptography.
    #[serde(default)]
    pub disco_reject_ms: Option<Millis>,
    /// One tunnel packet decrypted.
    #[serde(default)]
    pub tunnel_data_ms: Option<Millis>,
    /// One tunnel packet refused.
    #[serde(default)]
    pub tunnel_reject_ms: Option<Millis>,
    /// One write of the peer cache; it stalls both cores.
    #[serde(default)]
    pub store_write_ms: Option<Millis>,
    /// One datagram taken from the socket and sorted into its queue, on core 0.
    #[serde(default)]
    pub receive_datagram_ms: Option<Millis>,
    /// One frame taken from the relay and sorted, on core 0.
    #[serde(default)]
    pub relay_frame_ms: Option<Millis>,
}

/// A column of a cost table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Column", rename_all = "snake_case")]
pub enum ColumnFile {
    /// The least seen.
    Best,
    /// The usual.
    #[default]
    Typical,
    /// The most seen.
    Worst,
}

impl ColumnFile {
    const fn of(column: Column) -> Self {
        match column {
            Column::Best => Self::Best,
            Column::Typical => Self::Typical,
            Column::Worst => Self::Worst,
        }
    }

    /// The column that runs take.
    pub const fn column(self) -> Column {
        match self {
            Self::Best => Column::Best,
            Self::Typical => Column::Typical,
            Self::Worst => Column::Worst,
        }
    }
}

impl CostsFile {
    /// The table as it is, with the figures that replaced others in it.
    pub fn of(costs: &CostTable) -> Self {
        Self {
            table: "cost_table".to_owned(),
            column: ColumnFile::of(costs.column()),
            x25519_ms: None,
            box_symmetric_ms: None,
            peer_add_ms: None,
            peer_update_ms: None,
            disco_reject_ms: None,
            tunnel_data_ms: None,
            tunnel_reject_ms: None,
            store_write_ms: None,
            receive_datagram_ms: None,
            relay_frame_ms: None,
        }
    }

    /// The figures that replace the table's.
    pub fn replaced(&self) -> impl Iterator<Item = (CostRow, Millis)> {
        CostRow::ALL.into_iter().filter_map(|row| Some((row, self.figure(row)?)))
    }

    const fn figure(&self, row: CostRow) -> Option<Millis> {
        match row {
            CostRow::X25519 => self.x25519_ms,
            CostRow::BoxSymmetric => self.box_symmetric_ms,
            CostRow::PeerAdd => self.peer_add_ms,
            CostRow::PeerUpdate => self.peer_update_ms,
            CostRow::DiscoReject => self.disco_reject_ms,
            CostRow::TunnelData => self.tunnel_data_ms,
            CostRow::TunnelReject => self.tunnel_reject_ms,
            CostRow::StoreWrite => self.store_write_ms,
            CostRow::ReceiveDatagram => self.receive_datagram_ms,
            CostRow::RelayFrame => self.relay_frame_ms,
        }
    }
}
