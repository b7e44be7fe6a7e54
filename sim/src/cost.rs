//! What each operation takes, and who says so.
//!
//! The table's rows are what boards measure: one X25519, the symmetric part of a box, one flash
//! write. The core's charges are sums of them, so one figure changes everything that contains it.
//!
//! ```text
//!   x25519 28.3 ms ─┬─► BoxOpenComputed    28.305 ms    (one X25519 and the symmetric part)
//!   box_symmetric ──┘   InitiationReceived 113.2 ms     (four X25519)
//! ```
use std::collections::BTreeMap;

use firmware_core::charge::CostKey;
use firmware_core::time::Duration;

/// The source of a figure that a scenario or the command line sets.
pub const STATED: &str = "set by the scenario or the command line";

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

    /// What the row is about, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::X25519 => "one X25519 Diffie-Hellman",
            Self::BoxSymmetric => "the symmetric part of sealing or opening a box",
            Self::PeerAdd => "entering a peer, beside its X25519",
            Self::PeerUpdate => "a peer update without cryptography",
            Self::DiscoReject => "a DISCO packet refused before any cryptography",
            Self::TunnelData => "one tunnel packet decrypted",
            Self::TunnelReject => "one tunnel packet refused",
            Self::StoreWrite => "one write of the peer cache; it stalls both cores",
            Self::ReceiveDatagram => "one datagram taken from the socket and sorted, on core 0",
            Self::RelayFrame => "one frame taken from the relay and sorted, on core 0",
        }
    }

    /// The row that a charge contains once, beside its X25519 operations.
    pub const fn beside_x25519(key: CostKey) -> Option<Self> {
        match key {
            CostKey::DiscoReject => Some(Self::DiscoReject),
            CostKey::BoxOpenComputed
            | CostKey::BoxOpenCached
            | CostKey::BoxSealComputed
            | CostKey::BoxSealCached => Some(Self::BoxSymmetric),
            CostKey::PeerAdd => Some(Self::PeerAdd),
            CostKey::PeerUpdate => Some(Self::PeerUpdate),
            CostKey::TunnelData | CostKey::TunnelDataSent => Some(Self::TunnelData),
            CostKey::TunnelReject => Some(Self::TunnelReject),
            CostKey::StoreWrite => Some(Self::StoreWrite),
            CostKey::InitiationReceived
            | CostKey::InitiationRefused
            | CostKey::InitiationSent
            | CostKey::ResponseReceived => None,
        }
    }
}

/// How a figure is known.
pub use models::provenance::Provenance;

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

impl Column {
    /// The word in scenarios and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Typical => "typical",
            Self::Worst => "worst",
        }
    }
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
    /// How many operations were timed, where that is known.
    pub timed: Option<u64>,
    /// How it is known.
    pub provenance: Provenance,
    /// Who says so.
    pub source: String,
    /// What a reader should know, such as a second source that differs.
    pub note: Option<String>,
}

impl Cost {
    /// The figure of a column.
    pub const fn in_column(&self, column: Column) -> Duration {
        match column {
            Column::Best => self.best,
            Column::Typical => self.typical,
            Column::Worst => self.worst,
        }
    }
}

/// A cost table: every row, for one build of the firmware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostTable {
    /// Its name.
    pub name: String,
    /// The board and its clock.
    pub board: String,
    /// The compiler's flags.
    pub flags: String,
    column: Column,
    rows: BTreeMap<CostRow, Cost>,
    charges: [Duration; CostKey::ALL.len()],
}

impl CostTable {
    /// A table whose rows come from `row`, read in `column`.
    pub fn new(name: String, column: Column, mut row: impl FnMut(CostRow) -> Cost) -> Self {
        let rows = CostRow::ALL.into_iter().map(|name| (name, row(name))).collect();
        let charges = [Duration::ZERO; CostKey::ALL.len()];
        let (board, flags) = (String::new(), String::new());
        let mut table = Self { name, board, flags, column, rows, charges };
        table.sum_up();
        table
    }

    /// What a charge takes: as many X25519 as it has, and the row beside them.
    #[inline]
    pub const fn of(&self, key: CostKey) -> Duration {
        self.charges[key as usize]
    }

    /// The most that a charge takes, whatever column the run takes.
    pub fn worst(&self, key: CostKey) -> Duration {
        let beside = CostRow::beside_x25519(key).map_or(Duration::ZERO, |row| self.row(row).worst);
        self.row(CostRow::X25519).worst.times(key.x25519_count()).plus(beside)
    }

    /// The figure of a row, in this run's column.
    pub fn figure(&self, row: CostRow) -> Duration {
        self.row(row).in_column(self.column)
    }

    /// A row.
    pub fn row(&self, row: CostRow) -> &Cost {
        &self.rows[&row]
    }

    /// The column that the run takes.
    pub const fn column(&self) -> Column {
        self.column
    }

    /// Every row: those that nobody measured first, then in the order of [`CostRow::ALL`].
    pub fn rows(&self) -> impl Iterator<Item = (CostRow, &Cost)> {
        let known = self.rows.iter().filter(|(_, cost)| cost.provenance != Provenance::Assumed);
        self.assumed().chain(known.map(|(row, cost)| (*row, cost)))
    }

    /// The rows that are assumptions.
    pub fn assumed(&self) -> impl Iterator<Item = (CostRow, &Cost)> {
        let rows = self.rows.iter().map(|(row, cost)| (*row, cost));
        rows.filter(|(_, cost)| cost.provenance == Provenance::Assumed)
    }

    /// Replaces a row by one figure, which is from then on an assumption of the scenario.
    pub fn replace(&mut self, row: CostRow, figure: Duration) {
        let cost = Cost {
            best: figure,
            typical: figure,
            worst: figure,
            timed: None,
            provenance: Provenance::Assumed,
            source: STATED.to_owned(),
            note: None,
        };
        self.rows.insert(row, cost);
        self.sum_up();
    }

    fn sum_up(&mut self) {
        let x25519 = self.figure(CostRow::X25519);
        self.charges = CostKey::ALL.map(|key| {
            let beside = CostRow::beside_x25519(key).map_or(Duration::ZERO, |row| self.figure(row));
            x25519.times(key.x25519_count()).plus(beside)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table whose figures are 1, 2, 3 … microseconds in the order of the rows, doubled in the
    /// worst column.
    fn table(column: Column) -> CostTable {
        CostTable::new("test".to_owned(), column, |row| {
            let micros = 1 + row as u64;
            Cost {
                best: Duration::ZERO,
                typical: Duration::from_micros(micros),
                worst: Duration::from_micros(2 * micros),
                timed: None,
                provenance: match row {
                    CostRow::StoreWrite => Provenance::Assumed,
                    _ => Provenance::Measured,
                },
                source: String::new(),
                note: None,
            }
        })
    }

    /// Cites WG-HS-4 (4 X for an initiation), WG-DISCO-1 (one for a box), WG-NVS-1.
    #[test]
    fn a_charge_is_its_x25519_operations_and_the_row_beside_them() {
        let table = table(Column::Typical);
        assert_eq!(table.of(CostKey::BoxOpenComputed), Duration::from_micros(1 + 2));
        assert_eq!(table.of(CostKey::BoxSealCached), Duration::from_micros(2));
        assert_eq!(table.of(CostKey::PeerAdd), Duration::from_micros(1 + 3));
        assert_eq!(table.of(CostKey::InitiationReceived), Duration::from_micros(4));
        assert_eq!(table.of(CostKey::ResponseReceived), Duration::from_micros(2));
        assert_eq!(table.of(CostKey::StoreWrite), Duration::from_micros(8));
    }

    /// Cites WG-DISCO-1: what an open costs is the column's figure.
    #[test]
    fn the_column_decides_which_figures_count() {
        assert_eq!(table(Column::Best).of(CostKey::BoxOpenComputed), Duration::ZERO);
        assert_eq!(table(Column::Worst).of(CostKey::BoxOpenComputed), Duration::from_micros(6));
    }

    #[test]
    fn a_replaced_row_is_an_assumption_and_changes_every_charge_that_contains_it() {
        let mut table = table(Column::Worst);
        table.replace(CostRow::X25519, Duration::from_micros(100));
        assert_eq!(table.of(CostKey::PeerAdd), Duration::from_micros(100 + 6));
        let assumed: Vec<_> = table.assumed().map(|(row, _)| row).collect();
        assert_eq!(assumed, [CostRow::X25519, CostRow::StoreWrite]);
        let first: Vec<_> = table.rows().map(|(row, _)| row).take(3).collect();
        assert_eq!(first, [CostRow::X25519, CostRow::StoreWrite, CostRow::BoxSymmetric]);
        assert_eq!(table.rows().count(), CostRow::ALL.len());
    }

    #[test]
    fn the_place_of_a_charge_in_the_sums_is_its_place_in_the_declaration() {
        for (place, key) in CostKey::ALL.into_iter().enumerate() {
            assert_eq!(key as usize, place);
        }
    }
}
