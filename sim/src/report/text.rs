//! A report for people: the summary, and a page for each expectation that does not hold.
//!
//! ```text
//!  title · preset · seed · costs, assumptions first · digest
//!  metrics · packets by class · faults · remarks
//!  ✓ / ✗ per expectation
//!  ── violated ── expected, found, clause with its sentence, place, the command that repeats it
//! ```
//!
//! Plain text without colour, the same on every machine: golden files are made of it.
use std::fmt::Write;

use firmware_core::wg_mgr::preset::Preset;

use super::limits;
use super::metrics::{Metric, Unit};
use super::{CostLine, Origin, Outcome, ParameterLine, Report, TraceExcerpt};
use crate::scenario::{Measured, cites};

/// Columns that texts are wrapped at.
const COLUMNS: usize = 96;

/// The whole report as text.
pub fn render(report: &Report, origin: &Origin<'_>) -> String {
    let mut out = String::new();
    let sections = [
        head(report, origin),
        costs(&report.cost_rows),
        parameters(&report.parameters),
        metrics(report),
        classes(report),
        faults(report),
        remarks(report),
        limits::section(&report.limits),
        expectations(report),
        failures(report, origin),
        if origin.trace || !report.holds() { trace(&report.trace) } else { String::new() },
    ];
    for section in sections.iter().filter(|section| !section.is_empty()) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(section);
    }
    out
}

fn head(report: &Report, origin: &Origin<'_>) -> String {
    let mut out = String::new();
    if report.partial {
        line(
            &mut out,
            "PARTIAL",
            "interrupted before its end: every figure covers a part of the run",
        );
    }
    line(&mut out, "run", &report.title);
    match Preset::from_name(&report.preset) {
        Some(preset) => {
            line(&mut out, "preset", &format!("{}: {}", report.preset, preset.summary()));
        }
        None => line(&mut out, "preset", &report.preset),
    }
    line(&mut out, "seed", &report.seed.to_string());
    line(&mut out, "costs", &report.costs);
    line(&mut out, "scenario", &format!("{:032x}", report.scenario_hash));
    line(&mut out, "digest", &format!("{:032x}", report.digest));
    let virtual_s = report.figure(Metric::VirtualSeconds).unwrap_or_default();
    let mut ran = format!("{} events in {virtual_s} virtual s", report.events);
    if let Some(wall) = origin.wall_s {
        put(&mut ran, format_args!(", {wall:.3} s of wall time"));
    }
    line(&mut out, "ran", &ran);
    out
}

fn costs(rows: &[CostLine]) -> String {
    let mut out = String::new();
    for CostLine { row, figure, provenance, source } in rows {
        let ms = format!("{}.{:06}", figure.as_millis(), figure.as_nanos() % 1_000_000);
        let figure = ms.trim_end_matches('0').trim_end_matches('.');
        let start = format!("  {:<9} {row:<20} {figure:>8} ms  ", provenance.name());
        wrapped(&mut out, &start, source);
    }
    headed("what each operation took", out)
}

fn parameters(rows: &[ParameterLine]) -> String {
    let mut out = String::new();
    for ParameterLine { name, value, provenance, source } in rows {
        let start = format!("  {:<9} {name:<24} {value:>8}  ", provenance.name());
        wrapped(&mut out, &start, source);
    }
    headed("parameters", out)
}

fn metrics(report: &Report) -> String {
    let mut out = String::new();
    for metric in Metric::ALL {
        if let Some(figure) = report.figure(*metric) {
            let row = format!(
                "  {metric:<29}{:>14} {}",
                number(figure, metric.unit()),
                metric.unit().sign()
            );
            put(&mut out, format_args!("{}\n", row.trim_end()));
        }
    }
    headed("metrics", out)
}

fn classes(report: &Report) -> String {
    let mut out = String::new();
    for row in &report.classes {
        put(&mut out, format_args!("  {:<29}{:>14}{:>14}\n", row.class, row.arrived, row.shed));
    }
    headed(&format!("{:<31}{:>14}{:>14}", "packets", "arrived", "shed"), out)
}

fn faults(report: &Report) -> String {
    let mut out = String::new();
    for row in &report.faults {
        put(&mut out, format_args!("  {:<29}{:>14}{:>14}\n", row.point, row.asked, row.acted));
    }
    headed(&format!("{:<31}{:>14}{:>14}", "faults", "asked", "acted"), out)
}

fn remarks(report: &Report) -> String {
    let mut out = String::new();
    for remark in &report.remarks {
        wrapped(&mut out, "  ", remark);
    }
    headed("remarks", out)
}

fn expectations(report: &Report) -> String {
    let mut out = String::new();
    for outcome in &report.expectations {
        let sign = if outcome.holds() { '✓' } else { '✗' };
        let row = format!(
            "  {sign} {:<27}{:>14}   {:<34} {}",
            outcome.metric,
            found(outcome, rounded(outcome)),
            expected(outcome, rounded(outcome)),
            outcome.cites,
        );
        put(&mut out, format_args!("{}\n", row.trim_end()));
        out.push_str(&measured(outcome));
    }
    headed("expectations", out)
}

/// The measurement beside what was found, on a line of its own.
fn measured(outcome: &Outcome) -> String {
    let Some(Measured { median, least, most, runs }) = outcome.measured else {
        return String::new();
    };
    let write = rounded(outcome);
    let off = outcome.off_percent().map_or(String::new(), |off| format!("{off:+.1} %"));
    let has_spread = least < most;
    let range = has_spread.then(|| format!("{} to {}", write(least), write(most)));
    let runs = runs.map(|runs| format!("n = {runs}"));
    let spread = [range, runs].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let row = format!("      {:<25}{:>14}   {spread:<34} {off}", "measured", write(median));
    format!("{}\n", row.trim_end())
}

fn failures(report: &Report, origin: &Origin<'_>) -> String {
    let mut out = String::new();
    for outcome in report.expectations.iter().filter(|outcome| !outcome.holds()) {
        if !out.is_empty() {
            out.push('\n');
        }
        put(&mut out, format_args!("── violated: {} ──\n", outcome.metric));
        let sign = Metric::parse(&outcome.metric).map_or("", |metric| metric.unit().sign());
        let exact = |figure: f64| format!("{} {sign}", precise(figure)).trim_end().to_owned();
        line(&mut out, "expected", &expected(outcome, exact));
        line(&mut out, "found", &found(outcome, exact));
        if let Some(metric) = Metric::parse(&outcome.metric) {
            line(&mut out, "which is", metric.meaning());
        }
        line(&mut out, "cites", &outcome.cites);
        for clause in cites::clauses(&outcome.cites) {
            let entry = clause.entry();
            line(&mut out, "clause", &format!("{}: {}", entry.id, entry.sentence));
        }
        if !origin.file.is_empty() {
            line(&mut out, "stands in", &format!("{}:{}", origin.file, outcome.line));
        }
        if !origin.command.is_empty() {
            put(&mut out, format_args!("{:<11}{}\n", "repeat", origin.command));
        }
    }
    out
}

fn trace(excerpt: &TraceExcerpt) -> String {
    let mut out = String::new();
    for record in &excerpt.first {
        put(&mut out, format_args!("{record}\n"));
    }
    if excerpt.omitted > 0 {
        put(&mut out, format_args!("… {} records …\n", excerpt.omitted));
    }
    for record in &excerpt.last {
        put(&mut out, format_args!("{record}\n"));
    }
    headed("trace", out)
}

/// A figure as the unit of its metric is written.
fn rounded(outcome: &Outcome) -> impl Fn(f64) -> String {
    let unit = Metric::parse(&outcome.metric).map_or(Unit::Ratio, Metric::unit);
    move |figure| number(figure, unit)
}

/// What was found.
fn found(outcome: &Outcome, write: impl Fn(f64) -> String) -> String {
    outcome.found.map_or_else(|| "no figure".to_owned(), write)
}

/// What was expected, in words.
fn expected(outcome: &Outcome, write: impl Fn(f64) -> String) -> String {
    let Outcome { least, most, .. } = *outcome;
    match (least.is_finite(), most.is_finite()) {
        (true, true) if least.total_cmp(&most).is_eq() => format!("exactly {}", write(least)),
        (true, true) => format!("{} to {}", write(least), write(most)),
        (true, false) => format!("at least {}", write(least)),
        (false, true) => format!("at most {}", write(most)),
        (false, false) => "anything".to_owned(),
    }
}

/// A figure with the decimals that its unit deserves: none where things are counted.
fn number(figure: f64, unit: Unit) -> String {
    match unit {
        Unit::Count | Unit::Bytes if figure.fract() == 0.0 => format!("{figure:.0}"),
        Unit::Count | Unit::Bytes | Unit::PerSecond | Unit::Percent => format!("{figure:.2}"),
        Unit::Ratio => format!("{figure:.4}"),
        Unit::Milliseconds | Unit::Seconds => format!("{figure:.3}"),
    }
}

/// A figure with as many of six decimals as it has.
fn precise(figure: f64) -> String {
    let text = format!("{figure:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A section with its heading, unless it is empty.
fn headed(heading: &str, body: String) -> String {
    if body.is_empty() { body } else { format!("{heading}\n{body}") }
}

/// A named line, wrapped below its text.
fn line(out: &mut String, name: &str, text: &str) {
    wrapped(out, &format!("{name:<11}"), text);
}

pub(super) fn wrapped(out: &mut String, start: &str, text: &str) {
    let indent = " ".repeat(start.chars().count());
    let options = textwrap::Options::new(COLUMNS)
        .initial_indent(start)
        .subsequent_indent(&indent)
        .break_words(false);
    put(out, format_args!("{}\n", textwrap::fill(text, options).trim_end()));
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes whatever is written to it");
}
