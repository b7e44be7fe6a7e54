//! A fetch as a report: its figures by name, the parameters it was charged by, and what they rest
//! on.
use super::consumer::chunks::ChunkState;
use super::consumer::verdict::Carry;
use super::fetch::FetchError;
use super::outcome::{Outcome, ReadRecord, Way};
use super::read_end::ReadEnd;
use super::search::{FOUND_BYTES, Group, Tally, search};
use super::world::{Watch, fetch_watched};
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
use firmware_core::time::{Duration, Instant};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::BTreeMap;
use std::hash::Hasher;

/// Carries out a READ scenario: its fetch, or its search. `control` is asked every now and then
/// whether to go on.
///
/// # Errors
/// As [`fetch_watched`].
pub fn run(
    scenario: &ReadScenario,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Report, FetchError> {
    watched(scenario, control, &mut |_, _, _| {})
}

/// Carries out a READ scenario and writes a trace of it. A search steps no client: its trace has no
/// step in it.
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
    let mut report = match scenario.search_draws {
        Some(draws) => searched(scenario, draws, control),
        None => fetched(scenario, control, watch)?,
    };
    report.judge(&scenario.expect);
    Ok(report)
}

fn fetched(
    scenario: &ReadScenario,
    control: &mut dyn FnMut(Progress) -> Flow,
    watch: Watch<'_>,
) -> Result<Report, FetchError> {
    let body_bytes = scenario.fetch.page.body_bytes;
    let mut goes_on = |way: Way| control(progress(way, body_bytes)) == Flow::Continue;
    let outcome = fetch_watched(&scenario.fetch, &mut goes_on, watch)?;
    let parameters = parameters(scenario);
    let mut report = Report {
        assumed: assumed(&parameters),
        parameters,
        remarks: remarks(scenario, &outcome),
        trace: excerpt(&outcome.reads),
        digest: outcome.digest,
        events: outcome.bus_reads + outcome.bus_writes,
        partial: outcome.partial,
        ..blank(scenario)
    };
    enter(&mut report, &outcome);
    Ok(report)
}

/// A report in which nothing has happened yet.
fn blank(scenario: &ReadScenario) -> Report {
    Report {
        title: scenario.title.clone(),
        preset: format!("arm {}", scenario.arm.name()),
        costs: "the parameters below".to_owned(),
        cost_rows: Vec::new(),
        parameters: Vec::new(),
        seed: scenario.fetch.seed,
        scenario_hash: scenario.hash,
        metrics: BTreeMap::new(),
        classes: Vec::new(),
        remarks: Vec::new(),
        assumed: Vec::new(),
        faults: Vec::new(),
        limits: Vec::new(),
        expectations: Vec::new(),
        trace: TraceExcerpt::default(),
        digest: 0,
        events: 0,
        partial: false,
    }
}

#[expect(clippy::cast_precision_loss, reason = "draws are far fewer than 2^53")]
fn searched(
    scenario: &ReadScenario,
    draws: u64,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Report {
    let mut goes_on = |done: u64| {
        let progress = Progress {
            virtual_elapsed: Duration::from_millis(done),
            virtual_total: Duration::from_millis(draws),
            events: done,
        };
        control(progress) == Flow::Continue
    };
    let tally = search(&scenario.fetch, draws, &mut goes_on);
    let mut hasher = SipHasher13::new();
    hasher.write(format!("{tally:?}").as_bytes());
    let mut report = Report {
        costs: "none: the search looks at bytes, not at times".to_owned(),
        remarks: found(&tally),
        digest: hasher.finish128().as_u128(),
        events: tally.draws,
        partial: tally.partial,
        ..blank(scenario)
    };
    for (metric, count) in [
        (Metric::Draws, tally.draws),
        (Metric::DrawsEnds, tally.ends.len() as u64),
        (Metric::DrawsReproducing, tally.reproducing),
        (Metric::DrawsUnexplained, tally.unexplained),
        (Metric::DrawsSplitLine, tally.split_lines.0),
        (Metric::DrawsSplitReproducing, tally.split_lines.1),
        (Metric::HypothesesReproducing, tally.by_hypothesis.len() as u64),
    ] {
        report.put(metric, count as f64);
    }
    report
}

/// What a search found, hypothesis by hypothesis.
fn found(tally: &Tally) -> Vec<String> {
    let Tally { draws, reproducing, unexplained, split_lines, .. } = tally;
    let mut remarks = vec![format!(
        "{reproducing} of {draws} draws end like the finding: {FOUND_BYTES} bytes of body, status \
         200, no error; {unexplained} of them belong to no hypothesis."
    )];
    for (hypothesis, group) in &tally.by_hypothesis {
        let (number, name) = (hypothesis.number(), hypothesis.name());
        let Group { draws, lost, first, states } = group;
        remarks.push(format!(
            "Hypothesis {number}, {name}: {draws} draws, the first of them number {first}; a byte \
             was lost in {lost}. They end with:"
        ));
        remarks.extend(states.iter().map(|(end, count)| {
            let framing = ["no head", "Content-Length", "chunked", "neither"];
            let framing = framing.get(usize::from(end.framing)).copied().unwrap_or_default();
            let chunk =
                end.chunk_state.map_or_else(String::new, |at| format!(", chunk_state {at}"));
            let (carry, tcp, eof) = (end.carry, end.net_tcp_state, end.eof_code);
            format!("  {count:>4} × C {carry}, net_tcp_state {tcp}, eof {eof}, {framing}{chunk}")
        }));
    }
    let (split, reproduced) = split_lines;
    remarks.push(format!(
        "Hypothesis 6, a size line across two READs and nothing else: {split} draws, of which \
         {reproduced} end like the finding."
    ));
    remarks
}

/// The whole time is what the body's share so far makes likely.
fn progress(way: Way, body_bytes: u32) -> Progress {
    let elapsed = way.now.since(Instant::ZERO);
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
    let whole = outcome.is_whole();
    let number = |number: Option<u8>| number.map_or(f64::NAN, f64::from);
    let last_read = outcome.reads.last().map(|read| ReadEnd::from(read.outcome).number());
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
        (Metric::ForeignBytes, f64::from(outcome.foreign_bytes)),
        (Metric::ReadEnd, number(last_read)),
        (Metric::Aborts, outcome.aborts as f64),
        (Metric::Closes, outcome.closes as f64),
        (Metric::StatusCode, number(outcome.status_line.code)),
        (Metric::HttpStatus, outcome.http_status.map_or(f64::NAN, f64::from)),
        (Metric::HttpCarry, f64::from(outcome.carry.bit())),
        (Metric::Framing, f64::from(outcome.framing.number())),
        (Metric::ChunkState, number(outcome.chunk_state.map(ChunkState::number))),
        (Metric::ViewerEntered, f64::from(u8::from(outcome.enters_viewer()))),
        (Metric::NetTcpState, f64::from(outcome.connection.byte())),
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
    if outcome.is_whole() {
        remarks.push(
            "Two parameters were fitted to page times: besides_ms to a third page, fetched once, \
             and consume_cycles_per_byte to the three medians of the large page. So the arms of \
             the large page are predicted against each other, and every time of the small page is \
             a prediction."
                .to_owned(),
        );
    }
    let code = outcome.last_error.byte();
    if let Some(stage) = outcome.refused {
        let line = &outcome.status_line.text;
        remarks.push(format!(
            "There was no session: {} failed with error ${code:02X} and the status line \"{line}\" \
             ({} bytes).",
            stage.name(),
            line.len(),
        ));
    } else if outcome.carry == Carry::Set && !outcome.partial {
        let of = scenario.fetch.page.body_bytes;
        let ended = outcome.reads.last().map(|read| ReadEnd::from(read.outcome));
        let (name, meaning) = ended.map_or(("none", ""), |end| (end.name(), end.meaning()));
        remarks.push(format!(
            "The HTTP layer calls the body incomplete: {} of {of} bytes, error ${code:02X}. The \
             last READ ended as {name}. {meaning}",
            outcome.delivered
        ));
    } else if !outcome.is_whole() && !outcome.partial {
        let of = scenario.fetch.page.body_bytes;
        remarks.push(format!(
            "The HTTP layer calls the body complete, and it is not what was sent: {} of {of} \
             bytes.",
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
        other => ReadEnd::from(other).name().to_owned(),
    };
    format!(
        "{:>12}ms  READ  {what:<12} first block after {:>7} ms, whole {:>8} ms",
        micros(read.at.as_nanos()),
        micros(read.round_trip.as_nanos()),
        micros(read.whole.as_nanos()),
    )
}
