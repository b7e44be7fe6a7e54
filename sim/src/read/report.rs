//! A fetch as a report: its figures by name, the parameters it was charged by, and what they rest on.
use super::consumer::Framing;
use super::outcome::{Outcome, ReadRecord, Way};
use super::world::{FetchError, Watch, fetch_watched};
use crate::pft::Redactor;
use crate::record::read::ReadRecording;
use crate::record::{Recorded, Sink};
use crate::report::metrics::Metric;
use crate::report::{ParameterLine, Report, TraceExcerpt};
use crate::run::{Flow, Progress, RunError};
use crate::scenario::m3_read::ReadScenario;
use crate::trace::EXCERPT;
use firmware_core::m3_read::output::{Output, PollOutcome};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::time::Duration;
use std::collections::BTreeMap;

/// Carries out a READ scenario. `control` is asked after every READ whether to go on.
///
/// # Errors
/// As [`fetch_watched`].
pub fn run(
    scenario: &ReadScenario,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Report, FetchError> {
    watched(scenario, control, &mut |_, _, _| {})
}

/// Carries out a READ scenario and writes a trace of it.
///
/// # Errors
/// As [`fetch_watched`], and when the trace cannot be written.
pub fn run_recorded(
    scenario: &ReadScenario,
    out: Sink<'_>,
    redactor: Redactor,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<(Report, Recorded), RunError> {
    let mut recording = ReadRecording::begin(scenario, out, redactor)?;
    let mut watch = |at, input, output: &Output| recording.stepped(at, input, output);
    let report = watched(scenario, control, &mut watch)?;
    Ok((report, recording.finish()?))
}

fn watched(
    scenario: &ReadScenario,
    control: &mut dyn FnMut(Progress) -> Flow,
    watch: Watch<'_>,
) -> Result<Report, FetchError> {
    let body_bytes = scenario.fetch.page.body_bytes;
    let mut goes_on = |way: Way| control(progress(way, body_bytes)) == Flow::Continue;
    let outcome = fetch_watched(&scenario.fetch, &mut goes_on, watch)?;
    let mut report = Report {
        title: scenario.title.clone(),
        preset: format!("arm {}", scenario.arm.name()),
        costs: "the parameters below".to_owned(),
        cost_rows: Vec::new(),
        parameters: parameters(scenario),
        seed: scenario.fetch.seed,
        scenario_hash: scenario.hash,
        metrics: BTreeMap::new(),
        classes: Vec::new(),
        remarks: remarks(scenario, &outcome),
        assumed: Vec::new(),
        faults: Vec::new(),
        expectations: Vec::new(),
        trace: excerpt(&outcome.reads),
        digest: outcome.digest,
        events: outcome.bus_reads + outcome.bus_writes,
        partial: outcome.partial,
    };
    report.assumed = assumed(&report.parameters);
    enter(&mut report, &outcome);
    report.judge(&scenario.expect);
    Ok(report)
}

/// The whole time is what the body's share so far makes likely.
fn progress(way: Way, body_bytes: u32) -> Progress {
    let elapsed = way.now.since(firmware_core::time::Instant::ZERO);
    let share = u128::from(body_bytes) * u128::from(elapsed.as_nanos());
    let total = share / u128::from(way.delivered.max(1));
    let total = Duration::from_nanos(u64::try_from(total).unwrap_or(u64::MAX));
    Progress { virtual_elapsed: elapsed, virtual_total: total, events: way.accesses }
}

fn parameters(scenario: &ReadScenario) -> Vec<ParameterLine> {
    let mut rows: Vec<_> = scenario.fetch.parameters.rows();
    rows.sort_by_key(|row| std::cmp::Reverse(row.provenance));
    rows.into_iter()
        .map(|row| ParameterLine {
            name: row.name,
            value: row.value,
            provenance: row.provenance,
            source: row.source,
        })
        .collect()
}

fn assumed(lines: &[ParameterLine]) -> Vec<String> {
    let is_assumed = |line: &&ParameterLine| line.provenance == crate::cost::Provenance::Assumed;
    lines.iter().filter(is_assumed).map(|line| line.name.to_owned()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts and times of a page are far below 2^53")]
fn enter(report: &mut Report, outcome: &Outcome) {
    let seconds = |span: Duration| span.as_nanos() as f64 / 1e9;
    let millis = |span: Option<Duration>| span.map_or(f64::NAN, |span| seconds(span) * 1e3);
    let whole = outcome.intact && outcome.framing == Framing::Complete;
    for (metric, figure) in [
        (Metric::VirtualSeconds, seconds(outcome.page)),
        (Metric::PageSeconds, if whole { seconds(outcome.page) } else { f64::NAN }),
        (Metric::Reads, outcome.reads.len() as f64),
        (Metric::ReadsIdle, outcome.reads_idle() as f64),
        (Metric::Pushes, outcome.pushes as f64),
        (Metric::PushesRejected, outcome.pushes_rejected as f64),
        (Metric::ReadRttMsP50, millis(outcome.data_round_trip())),
        (Metric::IdleRttMsP50, millis(outcome.idle_round_trip())),
        (Metric::ReadWholeMsP50, millis(outcome.data_whole())),
        (Metric::DeliveredBytes, f64::from(outcome.delivered)),
        (Metric::BodyIntact, f64::from(u8::from(whole))),
        (Metric::EofCode, f64::from(outcome.eof_code)),
        (Metric::LastError, f64::from(outcome.last_error.byte())),
        (Metric::StillConnected, f64::from(u8::from(outcome.connection == Connection::Connected))),
        (Metric::BusReads, outcome.bus_reads as f64),
        (Metric::BusWrites, outcome.bus_writes as f64),
        (Metric::WriteRulesBroken, outcome.violations.len() as f64),
    ] {
        report.put(metric, figure);
    }
}

fn remarks(scenario: &ReadScenario, outcome: &Outcome) -> Vec<String> {
    let mut remarks = Vec::new();
    if outcome.partial {
        remarks.push("The run was interrupted: every figure is of its beginning only.".to_owned());
    }
    remarks.push(
        "Two parameters were fitted to page times: besides_ms to a third page, fetched once, and \
         consume_cycles_per_byte to the three medians of the large page. So the arms of the large \
         page are predicted against each other, and every time of the small page is a prediction."
            .to_owned(),
    );
    if outcome.framing != Framing::Complete && !outcome.partial {
        let of = scenario.fetch.page.body_bytes;
        let ended = outcome.reads.last().map(|read| read.outcome);
        remarks.push(format!(
            "The body is not complete: {} of {of} bytes; the last READ ended with {ended:?}.",
            outcome.delivered
        ));
    }
    remarks
}

fn excerpt(reads: &[ReadRecord]) -> TraceExcerpt {
    let shown = reads.len().min(EXCERPT);
    let rest = &reads[shown..];
    let last = &rest[rest.len().saturating_sub(EXCERPT)..];
    TraceExcerpt {
        first: reads[..shown].iter().map(described).collect(),
        omitted: u64::try_from(rest.len() - last.len()).unwrap_or(u64::MAX),
        last: last.iter().map(described).collect(),
    }
}

fn described(read: &ReadRecord) -> String {
    let micros = |nanos: u64| format!("{}.{:03}", nanos / 1_000_000, nanos / 1_000 % 1_000);
    let what = match read.outcome {
        PollOutcome::Data(bytes) => format!("{bytes} bytes"),
        PollOutcome::Idle => "nothing yet".to_owned(),
        other => format!("{other:?}"),
    };
    format!(
        "{:>12}ms  READ  {what:<12} first block after {:>7} ms, whole {:>8} ms",
        micros(read.at.as_nanos()),
        micros(read.round_trip.as_nanos()),
        micros(read.whole.as_nanos()),
    )
}
