//! Telemetry of the protective stop: what a device had counted, sampled every few seconds.
//!
//! ```text
//!   t_s,uptime_s,sent,replies,rebonds
//!   106,718,6730,6725,0
//! ```
//!
//! The columns and their rules are those of [`counter_log`](crate::counter_log), which draws the
//! conclusions; here the samples become records of a trace. Time has to grow from row to row. A
//! counter that falls says that the device restarted, and no difference across that row means
//! anything: strictly it is an error, leniently a row that is counted as rejected.
use std::io::Read;

use super::error::{ImportError, Problem};
use super::event::{Counters, Seen};
use super::intake::{Intake, Manner, instant};
use super::mapping::Mapping;
use super::table::{Column, Row, Table, each};

const COLUMNS: [Column; 5] = [
    Column { name: "t_s", is_needed: true },
    Column { name: "uptime_s", is_needed: true },
    Column { name: "sent", is_needed: true },
    Column { name: "replies", is_needed: true },
    Column { name: "rebonds", is_needed: true },
];
const SECOND: u64 = 1_000_000_000;

pub(super) const fn manner(is_lenient: bool, skip_outliers: bool) -> Manner {
    Manner::of_rows(is_lenient, skip_outliers, ("s", SECOND))
}

/// Reads telemetry.
pub(super) fn read(
    file: impl Read,
    mapping: &Mapping,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut table = Table::open(file, &COLUMNS, mapping)?;
    let mut last: Option<Counters> = None;
    each(&mut table, intake, |row, intake| {
        let at = instant(row.number(0)?, SECOND, row.place())?;
        let counters = counters(row)?;
        if let Some(before) = last {
            not_fallen(row, before, counters)?;
        }
        intake.event(at, Seen::Counters(counters), row.place())?;
        last = Some(counters);
        Ok(())
    })
}

fn counters(row: &Row<'_>) -> Result<Counters, ImportError> {
    Ok(Counters {
        uptime_s: row.number(1)?,
        sent: row.number(2)?,
        replies: row.number(3)?,
        rebonds: row.number(4)?,
    })
}

fn not_fallen(row: &Row<'_>, before: Counters, now: Counters) -> Result<(), ImportError> {
    let pairs = [
        (1, before.uptime_s, now.uptime_s),
        (2, before.sent, now.sent),
        (3, before.replies, now.replies),
        (4, before.rebonds, now.rebonds),
    ];
    match pairs.into_iter().find(|(_, before, now)| now < before) {
        Some((column, before, now)) => {
            let column = row.column(column);
            let what = format!("{column} fell from {before} to {now}: the device restarted");
            Err(row.error(Problem::Contradiction { what }))
        }
        None => Ok(()),
    }
}
