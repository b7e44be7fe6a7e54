//! What a replay came to, as text.
use super::compare::{Divergence, Outcome, Verdict};
use super::costs::{self, CostConflict};
use super::explain::Explanation;
use super::what_if::WhatIf;
use crate::pft::field::{millis, show};

/// The verdict of a replay, and why.
pub fn outcome(outcome: &Outcome) -> String {
    let mut text = String::new();
    let out = &mut text;
    show!(out, "replayed  {} steps, {} records\n", outcome.steps, outcome.records);
    match &outcome.verdict {
        Verdict::Pass => show!(out, "verdict   pass: every step gave what the trace says\n"),
        Verdict::Fail(found) => {
            show!(out, "verdict   fail: the core went another way\n");
            divergence(out, found);
        }
        Verdict::CannotTell(reason) => {
            show!(out, "verdict   cannot tell from record {} on: {}\n", reason.from, reason.why);
            show!(out, "log next  {}\n", reason.log_next);
        }
    }
    match outcome.is_same_digest() {
        Some(true) => show!(out, "digest    {:032x}, the recorded one\n", outcome.digest),
        Some(false) => show!(
            out,
            "digest    {:032x}, but the trace says {:032x}: it is not of these steps\n",
            outcome.digest,
            outcome.recorded.unwrap_or_default()
        ),
        None => {}
    }
    if outcome.unknown_kinds > 0 {
        let count = outcome.unknown_kinds;
        show!(out, "unknown   {count} records are of kinds that this version does not know\n");
    }
    text
}

fn divergence(out: &mut String, found: &Divergence) {
    let at = millis(found.at.as_nanos());
    show!(out, "at        record {}, {at}\n", found.index);
    show!(out, "input     {}\n", found.input.line());
    let line = |event: &Option<crate::pft::Event>| {
        event.as_ref().map_or("nothing more".to_owned(), crate::pft::Event::line)
    };
    show!(out, "expected  {}\n", line(&found.expected));
    show!(out, "got       {}\n", line(&found.got));
    for clause in &found.clauses {
        show!(out, "clause    {clause}: {}\n", clause.entry().title);
    }
    show!(out, "around\n");
    for line in &found.around {
        show!(out, "{line}\n");
    }
}

/// What would remove a difference.
pub fn explanations(found: &[Explanation]) -> String {
    let mut text = String::new();
    let out = &mut text;
    if found.is_empty() {
        show!(
            out,
            "no single value, switch or preset and no pair of them removes the difference\n"
        );
    }
    for (place, it) in found.iter().enumerate() {
        let how = if place == 0 { "matches if" } else { "       or " };
        let far = if it.is_whole {
            "to the end".to_owned()
        } else {
            format!("as far as record {}", it.reached)
        };
        let clauses: Vec<_> = it.clauses.iter().map(ToString::to_string).collect();
        let clauses =
            if clauses.is_empty() { String::new() } else { format!("  ({})", clauses.join(", ")) };
        show!(out, "{how} {}, {far}{clauses}\n", it.changes.join(" and "));
    }
    text
}

/// Charges that the cost table has another figure for.
pub fn cost_conflicts(conflicts: &[CostConflict]) -> String {
    let mut text = String::new();
    let out = &mut text;
    for it in conflicts {
        let (least, table) = (millis(it.least.as_nanos()), millis(it.table.as_nanos()));
        let why = if it.is_certain() { "the table is too high" } else { "or it was interrupted" };
        show!(
            out,
            "time      {} took {least} at least ({} times), the table says {table}: {why}; \
             matches if {}\n",
            costs::name(it.key),
            it.count,
            it.change
        );
    }
    text
}

/// The figures of a what-if.
pub fn what_if(what_if: &WhatIf) -> String {
    let mut text = String::new();
    let out = &mut text;
    show!(
        out,
        "model     {}\n",
        match what_if.is_as_recorded {
            Some(true) => "given these arrivals it takes the very steps that were recorded",
            Some(false) =>
                "given these arrivals it takes other steps than were recorded: compare columns only",
            None => "the trace has no digest to hold it against",
        }
    );
    if what_if.gaps > 0 {
        show!(out, "gaps      records are missing at {} places of the trace\n", what_if.gaps);
    }
    show!(out, "{:<34} {:>14} {:>14} {:>14}\n", "figure", "as recorded", "what if", "difference");
    for row in &what_if.rows {
        let difference = row.changed - row.base;
        let (base, changed) = (figure(row.base), figure(row.changed));
        let name = row.metric.name();
        show!(out, "{name:<34} {base:>14} {changed:>14} {:>14}\n", signed(difference));
    }
    text
}

fn figure(value: f64) -> String {
    if value.is_nan() {
        "-".to_owned()
    } else if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.3}")
    }
}

fn signed(value: f64) -> String {
    let text = figure(value);
    if value > 0.0 { format!("+{text}") } else { text }
}
