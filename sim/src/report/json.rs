//! A report for machines: one JSON object with a stable order of keys, described by a schema.
use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema, schema_for};
use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::limits::{self, LimitObject};
use super::metrics::Metric;
use super::{Origin, Outcome, Report};

/// The version of the object's shape.
pub const VERSION: u32 = 1;

/// The result of one run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReportObject<'a> {
    /// The version of this shape: 1.
    version: u32,
    /// What the run was about.
    title: &'a str,
    /// The scenario's file as it was named.
    scenario: &'a str,
    /// 128 bits in hexadecimal over what was run, the seed set aside.
    scenario_hash: String,
    /// The firmware version that the configuration began as.
    preset: &'a str,
    /// Where every stream of chance began.
    seed: u64,
    /// 128 bits in hexadecimal over every record of the run.
    digest: String,
    /// Whether the run was interrupted: then every figure covers a part of it.
    partial: bool,
    /// Whether every expectation holds.
    holds: bool,
    /// Events taken from the queue.
    events: u64,
    /// Virtual time covered, in seconds.
    virtual_s: Option<Figure>,
    /// Wall time, in seconds.
    wall_s: Option<f64>,
    /// Every figure by its stable name; one that the run had no ground for is absent.
    metrics: Metrics,
    /// What each operation took: assumptions first.
    costs: Costs<'a>,
    /// What else the run was charged by: figures of the model that are no operation's time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Parameter<'a>>,
    /// Datagrams by class.
    packets: Vec<Packets>,
    /// Every fault point that the scenario uses.
    faults: Vec<Fault>,
    /// What the configuration needs of each limited thing, when that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limits: Vec<LimitObject>,
    /// What a reader should know and no figure says.
    remarks: &'a [String],
    /// What the run had to show.
    expectations: Vec<Expected<'a>>,
    /// The command that repeats the run.
    command: &'a str,
}

/// The costs that a run was charged.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Costs<'a> {
    /// The table's name, its board, flags and column.
    table: &'a str,
    /// Its rows.
    rows: Vec<Cost<'a>>,
}

/// One row of a cost table as it was charged.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Cost<'a> {
    /// The row's name, such as `x25519_ms`.
    row: &'a str,
    /// The figure charged.
    ms: f64,
    /// `measured`, `quoted`, `derived` or `assumed`.
    provenance: &'a str,
    /// Who says so.
    source: &'a str,
}

/// A figure of the model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Parameter<'a> {
    /// Its name; the unit is part of it.
    name: &'a str,
    /// Its value in that unit.
    value: u64,
    /// `measured`, `quoted`, `derived` or `assumed`.
    provenance: &'a str,
    /// Who says so.
    source: &'a str,
}

/// Datagrams of one class.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Packets {
    /// The class as the receive task sees it.
    class: &'static str,
    /// How many arrived.
    arrived: u64,
    /// How many were dropped because a queue was full.
    shed: u64,
}

/// One fault point's use.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Fault {
    /// The fault point.
    point: &'static str,
    /// How often the run passed it.
    asked: u64,
    /// How often it acted.
    acted: u64,
}

/// One expectation and what was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Expected<'a> {
    /// The metric.
    metric: &'a str,
    /// What the run gave; null when it had no such figure.
    found: Option<Figure>,
    /// The least value that is right; null when there is no such bound.
    at_least: Option<Figure>,
    /// The greatest value that is right; null when there is no such bound.
    at_most: Option<Figure>,
    /// Whether what was found is right.
    holds: bool,
    /// The measurement behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<MeasuredObject>,
    /// Who says so.
    cites: &'a str,
    /// The line of the scenario's file.
    line: usize,
}

/// A measurement and its spread.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct MeasuredObject {
    /// The median, or the only figure.
    median: Option<Figure>,
    /// The least.
    least: Option<Figure>,
    /// The greatest.
    most: Option<Figure>,
    /// How many runs were measured; null when that is not known.
    runs: Option<u64>,
    /// How far what was found lies from the median, in percent of it.
    off_percent: Option<f64>,
}

/// A number, written without decimals when it has none.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
struct Figure(Number);

/// Figures by name.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
struct Metrics(BTreeMap<&'static str, Figure>);

/// The whole report as one JSON object over several lines, with a line end behind it.
///
/// # Panics
/// Never: strings, numbers and lists always have a rendering.
pub fn render(report: &Report, origin: &Origin<'_>) -> String {
    let text = serde_json::to_string_pretty(&object(report, origin));
    text.expect("strings, numbers and lists always have a rendering") + "\n"
}

/// The JSON Schema of a rendered report.
pub fn schema() -> Value {
    schema_for!(ReportObject<'_>).to_value()
}

/// The report as the object that is rendered.
pub fn object<'a>(report: &'a Report, origin: &Origin<'a>) -> ReportObject<'a> {
    let figures = report.metrics.iter();
    ReportObject {
        version: VERSION,
        title: &report.title,
        scenario: origin.file,
        scenario_hash: format!("{:032x}", report.scenario_hash),
        preset: &report.preset,
        seed: report.seed,
        digest: format!("{:032x}", report.digest),
        partial: report.partial,
        holds: report.holds(),
        events: report.events,
        virtual_s: report.figure(Metric::VirtualSeconds).and_then(figure),
        wall_s: origin.wall_s,
        metrics: Metrics(figures.filter_map(|(name, at)| Some((*name, figure(*at)?))).collect()),
        costs: costs(report),
        parameters: parameters(report),
        packets: packets(report),
        faults: faults(report),
        limits: limits::objects(&report.limits),
        remarks: &report.remarks,
        expectations: report.expectations.iter().map(expected).collect(),
        command: origin.command,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a cost of 2^53 ns would last a hundred days")]
fn costs(report: &Report) -> Costs<'_> {
    let rows = report.cost_rows.iter().map(|line| Cost {
        row: line.row,
        ms: line.figure.as_nanos() as f64 / 1e6,
        provenance: line.provenance.name(),
        source: &line.source,
    });
    Costs { table: &report.costs, rows: rows.collect() }
}

fn parameters(report: &Report) -> Vec<Parameter<'_>> {
    let rows = report.parameters.iter().map(|line| Parameter {
        name: line.name,
        value: line.value,
        provenance: line.provenance.name(),
        source: line.source,
    });
    rows.collect()
}

fn packets(report: &Report) -> Vec<Packets> {
    let rows = report.classes.iter();
    rows.map(|row| Packets { class: row.class, arrived: row.arrived, shed: row.shed }).collect()
}

fn faults(report: &Report) -> Vec<Fault> {
    let rows = report.faults.iter();
    rows.map(|row| Fault { point: row.point, asked: row.asked, acted: row.acted }).collect()
}

fn expected(outcome: &Outcome) -> Expected<'_> {
    Expected {
        metric: &outcome.metric,
        found: outcome.found.and_then(figure),
        at_least: figure(outcome.least),
        at_most: figure(outcome.most),
        holds: outcome.holds(),
        measured: outcome.measured.map(|measured| MeasuredObject {
            median: figure(measured.median),
            least: figure(measured.least),
            most: figure(measured.most),
            runs: measured.runs,
            off_percent: outcome.off_percent(),
        }),
        cites: &outcome.cites,
        line: outcome.line,
    }
}

/// A finite number.
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53 is exact")]
fn figure(value: f64) -> Option<Figure> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Some(Figure(Number::from(value as i64)));
    }
    Number::from_f64(value).map(Figure)
}

impl JsonSchema for Figure {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Figure".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

impl JsonSchema for Metrics {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Metrics".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let described = |metric: &Metric| {
            let description = format!("{} ({})", metric.meaning(), metric.unit().name());
            let mut schema = Map::new();
            schema.insert("description".to_owned(), description.into());
            schema.insert("type".to_owned(), "number".into());
            (metric.name().to_owned(), Value::Object(schema))
        };
        let properties: Map<String, Value> = Metric::ALL.iter().map(described).collect();
        json_schema!({
            "type": "object", "properties": properties, "additionalProperties": false
        })
    }
}
