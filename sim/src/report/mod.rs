//! The result of a run as one value; text and JSON are renderings of it.
//!
//! ```text
//!  Scenario ──of──► Report ◄──put── the run ──judge──► Outcome per expectation
//!                      ├──► text: the summary, and a page per failure
//!                      └──► json: the same facts for machines
//! ```
pub mod json;
mod limits;
pub mod metrics;
pub mod text;

use std::collections::BTreeMap;

use firmware_core::time::Duration;

use self::metrics::Metric;
use crate::cost::{CostTable, Provenance};
use crate::limits::LimitRow;
use crate::scenario::{Expectation, Measured, Scenario};

/// What a run showed.
#[derive(Clone, Debug)]
pub struct Report {
    /// The scenario's title.
    pub title: String,
    /// The firmware version it began as.
    pub preset: String,
    /// The cost table's name, its board, flags and column.
    pub costs: String,
    /// What each operation took: assumptions first.
    pub cost_rows: Vec<CostLine>,
    /// What else the run was charged by, where figures are no operation's time.
    pub parameters: Vec<ParameterLine>,
    /// The seed.
    pub seed: u64,
    /// The scenario's hash: what was run, the seed set aside.
    pub scenario_hash: u128,
    /// Every figure, by its stable name.
    pub metrics: BTreeMap<&'static str, f64>,
    /// Datagrams by class: how many arrived, how many were shed.
    pub classes: Vec<ClassRow>,
    /// What a reader should know and no figure says.
    pub remarks: Vec<String>,
    /// Costs that nobody measured, used in this run.
    pub assumed: Vec<String>,
    /// How often each fault point was asked and how often it acted.
    pub faults: Vec<FaultRow>,
    /// What the configuration needs of each limited thing, where that was asked for.
    pub limits: Vec<LimitRow>,
    /// Expectations and what was found.
    pub expectations: Vec<Outcome>,
    /// The first and last records of the trace, as text.
    pub trace: TraceExcerpt,
    /// 128 bits over every record.
    pub digest: u128,
    /// Events taken from the queue.
    pub events: u64,
    /// Whether the run was interrupted before its end.
    pub partial: bool,
}

/// What an operation took in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostLine {
    /// The row's name in cost tables.
    pub row: &'static str,
    /// How long it took.
    pub figure: Duration,
    /// How that is known.
    pub provenance: Provenance,
    /// Who says so.
    pub source: String,
}

/// A figure of the model that a run was charged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterLine {
    /// Its name; the unit is part of it.
    pub name: &'static str,
    /// Its value in that unit.
    pub value: u64,
    /// How that is known.
    pub provenance: Provenance,
    /// Who says so.
    pub source: &'static str,
}

/// Where a report came from: what its renderings add to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Origin<'a> {
    /// The scenario's file as it was named.
    pub file: &'a str,
    /// The command that repeats the run.
    pub command: &'a str,
    /// Wall time in seconds; left out where a rendering must be the same each time.
    pub wall_s: Option<f64>,
    /// Whether the text shows the trace although every expectation holds.
    pub trace: bool,
}

/// Datagrams of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassRow {
    /// The class as the receive task sees it.
    pub class: &'static str,
    /// How many arrived.
    pub arrived: u64,
    /// How many were dropped because a queue was full.
    pub shed: u64,
}

/// One fault point's use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultRow {
    /// The fault point's name.
    pub point: &'static str,
    /// How often the run passed it.
    pub asked: u64,
    /// How often it acted.
    pub acted: u64,
}

/// An expectation and what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The metric's name.
    pub metric: String,
    /// What the run gave; `None` when the run has no such metric.
    pub found: Option<f64>,
    /// The least value that is right.
    pub least: f64,
    /// The greatest value that is right.
    pub most: f64,
    /// The measurement behind it.
    pub measured: Option<Measured>,
    /// Who says so.
    pub cites: String,
    /// The line of the scenario on which it stands; 0 when it came from elsewhere.
    pub line: usize,
}

/// The beginning and end of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceExcerpt {
    /// The first records.
    pub first: Vec<String>,
    /// How many lie between.
    pub omitted: u64,
    /// The last records.
    pub last: Vec<String>,
}

impl Outcome {
    /// How far what was found lies from the measurement, in percent of it.
    pub fn off_percent(&self) -> Option<f64> {
        let measured = self.measured.filter(|measured| measured.median != 0.0)?;
        Some((self.found? - measured.median) / measured.median * 100.0)
    }

    /// Whether what was found is right.
    pub fn holds(&self) -> bool {
        self.found.is_some_and(|found| (self.least..=self.most).contains(&found))
    }
}

impl Report {
    /// A report of a run that has not begun: what the scenario says, and no figure.
    pub fn of(scenario: &Scenario) -> Self {
        let costs = &scenario.costs;
        Self {
            title: scenario.title.clone(),
            preset: scenario.preset.name().to_owned(),
            costs: described(costs),
            cost_rows: lines(costs),
            parameters: Vec::new(),
            seed: scenario.seed,
            scenario_hash: scenario.hash,
            metrics: BTreeMap::new(),
            classes: Vec::new(),
            remarks: Vec::new(),
            assumed: costs.assumed().map(|(row, _)| row.name().to_owned()).collect(),
            faults: Vec::new(),
            limits: Vec::new(),
            expectations: Vec::new(),
            trace: TraceExcerpt::default(),
            digest: 0,
            events: 0,
            partial: false,
        }
    }

    /// Enters a figure. What is not finite is no figure and stays out.
    pub fn put(&mut self, metric: Metric, figure: f64) {
        if figure.is_finite() {
            self.metrics.insert(metric.name(), figure);
        }
    }

    /// A figure, if the run had ground for it.
    pub fn figure(&self, metric: Metric) -> Option<f64> {
        self.metrics.get(metric.name()).copied()
    }

    /// Compares the figures with what was expected of them.
    pub fn judge(&mut self, expected: &[Expectation]) {
        let outcome = |expected: &Expectation| Outcome {
            found: self.metrics.get(expected.metric.as_str()).copied(),
            metric: expected.metric.clone(),
            least: expected.least,
            most: expected.most,
            measured: expected.measured,
            cites: expected.cites.clone(),
            line: expected.line,
        };
        self.expectations = expected.iter().map(outcome).collect();
    }

    /// Whether every expectation holds.
    pub fn holds(&self) -> bool {
        self.expectations.iter().all(Outcome::holds)
    }
}

fn described(costs: &CostTable) -> String {
    let CostTable { name, board, flags, .. } = costs;
    format!("{name} ({board}, {flags}), {} column", costs.column().name())
}

fn lines(costs: &CostTable) -> Vec<CostLine> {
    costs
        .rows()
        .map(|(row, cost)| CostLine {
            row: row.name(),
            figure: costs.figure(row),
            provenance: cost.provenance,
            source: cost.source.clone(),
        })
        .collect()
}
