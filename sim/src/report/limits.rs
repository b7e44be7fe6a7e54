//! The table of limits, for people and for machines.
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::{LimitRow, SHOWN, tightest};

/// The table as text; empty without rows.
pub(super) fn section(rows: &[LimitRow]) -> String {
    let mut out = String::new();
    let Some(first) = tightest(rows) else { return out };
    put(&mut out, format_args!("limits{:58}margin with so many peers\n", ""));
    let [few, shipped, many] = SHOWN;
    put(
        &mut out,
        format_args!(
            "  {:<24} {:>10} {:>9} {:>8} {few:>8} {shipped:>8} {many:>8}  unit\n",
            "", "need", "limit", "margin",
        ),
    );
    for LimitRow { own, margins: [few, shipped, many] } in rows {
        let over = if own.margin() < 0 { '!' } else { ' ' };
        put(
            &mut out,
            format_args!(
                "{over} {:<24} {:>10} {:>9} {:>8} {few:>8} {shipped:>8} {many:>8}  {}\n",
                own.name,
                own.need,
                own.limit,
                own.margin(),
                own.unit,
            ),
        );
    }
    out.push('\n');
    for LimitRow { own, .. } in rows {
        super::text::wrapped(
            &mut out,
            &format!("  {:<24} ", own.name),
            &format!("{}. Beyond: {}.", own.source, own.breaks),
        );
    }
    let verb = if first.own.margin() < 0 { "breaks already" } else { "breaks first" };
    put(
        &mut out,
        format_args!(
            "\n  {verb}: {}, {}.{} % used\n",
            first.own.name,
            first.own.used() / 10,
            first.own.used() % 10,
        ),
    );
    out
}

/// One limit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct LimitObject {
    /// Its stable name.
    name: &'static str,
    /// What both figures count.
    unit: &'static str,
    /// What the configuration needs.
    need: u64,
    /// What there is.
    limit: u64,
    /// What is left; negative when there is too little.
    margin: i64,
    /// What would be left with 16, 128 and 256 peers.
    margins: [i64; SHOWN.len()],
    /// Where the limit comes from.
    source: &'static str,
    /// What happens beyond it.
    breaks: &'static str,
}

/// The table for machines.
pub(super) fn objects(rows: &[LimitRow]) -> Vec<LimitObject> {
    let object = |row: &LimitRow| LimitObject {
        name: row.own.name,
        unit: row.own.unit,
        need: row.own.need,
        limit: row.own.limit,
        margin: row.own.margin(),
        margins: row.margins,
        source: row.own.source,
        breaks: row.own.breaks,
    };
    rows.iter().map(object).collect()
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes whatever is written to it");
}
