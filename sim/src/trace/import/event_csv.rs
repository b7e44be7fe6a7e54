//! The neutral table of packets: one row each, with time, kind and whatever else is known.
//!
//! ```text
//!   t_us,kind,peer,len            needed: a time (t_ns, t_us, t_ms or t_s) and kind
//!   1000,hb,7,96                  known:  peer len id direction from via ping_tx
//! ```
//!
//! `from` is the peer when there is no column `peer`. `via` is direct or relay, `direction` in or
//! out. `ping_tx` is a transaction's number in hexadecimal; a row that has one is a ping. The export
//! to this table writes `t_ns`, so that it comes back as it was.
use std::io::Read;

use super::error::{ImportError, Place, Problem, quoted};
use super::event::{Class, Direction, GapReason, Packet, PeerRef, Route, Seen};
use super::intake::{Intake, Manner, instant};
use super::mapping::Mapping;
use super::table::{Column, Row, Table};

const COLUMNS: [Column; 12] = [
    optional("t_ns"),
    optional("t_us"),
    optional("t_ms"),
    optional("t_s"),
    optional("kind"),
    optional("peer"),
    optional("len"),
    optional("id"),
    optional("direction"),
    optional("from"),
    optional("via"),
    optional("ping_tx"),
];
/// Nanoseconds of the units of the first four columns, and their names.
const UNITS: [(&str, u64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
/// A row that says that something is missing.
const GAP: Seen = Seen::Gap { why: GapReason::Dropped, count: 1 };
const KIND: usize = 4;
const PEER: usize = 5;
const LEN: usize = 6;
const ID: usize = 7;
const DIRECTION: usize = 8;
const FROM: usize = 9;
const VIA: usize = 10;
const PING: usize = 11;

const fn optional(name: &'static str) -> Column {
    Column { name, is_needed: false }
}

pub(super) const fn manner(is_lenient: bool, skip_outliers: bool) -> Manner {
    Manner::of_rows(is_lenient, skip_outliers, ("us", 1_000))
}

/// Reads a table of packets.
pub(super) fn read(
    file: impl Read,
    mapping: &Mapping,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut table = Table::open(file, &COLUMNS, mapping)?;
    let missing = |column: &str| {
        let column = mapping.column(column).to_owned();
        ImportError::at(Place::Line(1), Problem::MissingColumn { column })
    };
    let time = (0..UNITS.len()).find(|at| table.has(*at)).ok_or_else(|| missing("t_us"))?;
    if !table.has(KIND) && !table.has(PING) {
        return Err(missing("kind"));
    }
    intake.set_unit(UNITS[time]);
    super::table::each(&mut table, intake, |row, intake| {
        let at = instant(row.number(time)?, UNITS[time].1, row.place())?;
        match packet(row, mapping)? {
            Some(packet) => intake.event(at, Seen::Packet(packet), row.place()),
            None => intake.event(at, GAP, row.place()),
        }
    })
}

/// A row's packet; `None` for a row that says that something is missing.
fn packet(row: &Row<'_>, mapping: &Mapping) -> Result<Option<Packet>, ImportError> {
    let transaction = row.field(PING).filter(|text| !text.is_empty());
    let class = match (row.field(KIND), transaction) {
        (None, _) | (Some(b""), Some(_)) => Class::Ping,
        (Some(b"gap"), _) => return Ok(None),
        (Some(_), _) => class(row, mapping)?,
    };
    let peer_column = if row.field(PEER).is_some() { PEER } else { FROM };
    let peer = match row.field(peer_column) {
        None | Some(b"-") => None,
        Some(_) => Some(PeerRef::Listed(row.number_32(peer_column)?)),
    };
    let bytes = if row.field(LEN).is_some() { row.number_32(LEN)? } else { 0 };
    let number = match transaction {
        Some(text) => Some(hexadecimal(row, text)?),
        None => row.optional(ID)?,
    };
    let direction = word(row, DIRECTION, &[("in", Direction::In), ("out", Direction::Out)])?;
    let via = word(row, VIA, &[("direct", Route::Direct), ("relay", Route::Relay)])?;
    Ok(Some(Packet { direction, class, peer, bytes, number, via }))
}

fn class(row: &Row<'_>, mapping: &Mapping) -> Result<Class, ImportError> {
    let field = row.needed(KIND)?;
    let text = std::str::from_utf8(field).map_err(|_| row.error(Problem::NotText))?;
    mapping.kinds.get(text).copied().ok_or_else(|| {
        let known = mapping.kinds.keys().cloned().collect::<Vec<_>>().join(", ");
        row.error(Problem::UnknownWord { column: row.column(KIND), text: quoted(field), known })
    })
}

/// One of some words; nothing said when the column or its field is empty.
fn word<T: Copy + Default>(
    row: &Row<'_>,
    column: usize,
    words: &[(&str, T)],
) -> Result<T, ImportError> {
    let Some(field) = row.field(column).filter(|field| !field.is_empty()) else {
        return Ok(T::default());
    };
    let found = words.iter().find(|(word, _)| word.as_bytes() == field);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let known = words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        row.error(Problem::UnknownWord { column: row.column(column), text: quoted(field), known })
    })
}

/// A transaction in hexadecimal. Only its last 64 bits count: enough to tell two apart.
fn hexadecimal(row: &Row<'_>, text: &[u8]) -> Result<u64, ImportError> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(u64::from);
    let number = text.iter().try_fold(0_u64, |number, byte| Some(number << 4 | digit(byte)?));
    number.ok_or_else(|| {
        row.error(Problem::NotANumber { column: row.column(PING), text: quoted(text) })
    })
}
