//! The neutral table of READs on the C64's side, one row each.
//!
//! ```text
//!   seq,t_push_us,req,kind,n,rtt_us,total_us,blocks,err_bit,status
//!   1,1000,1472,data,960,5220,8320,2,0,"00,OK"
//! ```
//!
//! The layout is ours: that of the traces behind the published figures is in no public file. Every
//! published statistic can be computed from these columns again.
use std::io::Read;

use firmware_core::time::Duration;

use super::error::{ImportError, Problem, quoted};
use super::event::{ReadKind, Seen};
use super::intake::{Intake, Manner, instant};
use super::mapping::Mapping;
use super::table::{Column, Row, Table, each};

const COLUMNS: [Column; 10] = [
    needed("seq"),
    needed("t_push_us"),
    needed("req"),
    needed("kind"),
    needed("n"),
    needed("rtt_us"),
    needed("total_us"),
    needed("blocks"),
    needed("err_bit"),
    needed("status"),
];
const KINDS: [(&[u8], ReadKind); 4] = [
    (b"data", ReadKind::Data),
    (b"idle", ReadKind::Idle),
    (b"eof", ReadKind::End),
    (b"err", ReadKind::Error),
];
const MICROSECOND: u64 = 1_000;
/// Characters of a status line that the client keeps.
const STATUS_MOST: usize = 40;

const fn needed(name: &'static str) -> Column {
    Column { name, is_needed: true }
}

pub(super) const fn manner(is_lenient: bool, skip_outliers: bool) -> Manner {
    Manner::of_rows(is_lenient, skip_outliers, ("us", MICROSECOND))
}

/// Reads a table of READs.
pub(super) fn read(
    file: impl Read,
    mapping: &Mapping,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut table = Table::open(file, &COLUMNS, mapping)?;
    each(&mut table, intake, |row, intake| {
        let at = instant(row.number(1)?, MICROSECOND, row.place())?;
        let read = one(row, intake)?;
        intake.event(at, Seen::Read(read), row.place())
    })
}

fn one(row: &Row<'_>, intake: &mut Intake<'_>) -> Result<super::event::Read, ImportError> {
    let field = row.needed(3)?;
    let kind = KINDS.iter().find(|(word, _)| *word == field).map(|(_, kind)| *kind);
    let kind = kind.ok_or_else(|| {
        let known = "data, idle, eof, err".to_owned();
        row.error(Problem::UnknownWord { column: row.column(3), text: quoted(field), known })
    })?;
    let span = |column| row.number(column).map(Duration::from_micros);
    let (round_trip, total) = (span(5)?, span(6)?);
    if round_trip > total {
        let what = "the round trip is longer than the whole READ".to_owned();
        return Err(row.error(Problem::Contradiction { what }));
    }
    let status = row.field(9).unwrap_or_default();
    let status = std::str::from_utf8(status).map_err(|_| row.error(Problem::NotText))?;
    let status: String = status.chars().take(STATUS_MOST).collect();
    Ok(super::event::Read {
        number: row.number(0)?,
        asked: row.number_32(2)?,
        kind,
        bytes: row.number_32(4)?,
        round_trip,
        total,
        blocks: small(row, 7, u8::MAX)?,
        error_bit: small(row, 8, 1)? == 1,
        status: intake.name(&status)?,
    })
}

fn small(row: &Row<'_>, column: usize, most: u8) -> Result<u8, ImportError> {
    let number = row.number(column)?;
    let small = u8::try_from(number).ok().filter(|number| *number <= most);
    small.ok_or_else(|| {
        let (column, text) = (row.column(column), number.to_string());
        row.error(Problem::NumberTooBig { column, text, most: most.into() })
    })
}
