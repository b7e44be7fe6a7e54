//! The result of a run as one value; text and JSON are renderings of it.
pub mod metrics;

use std::collections::BTreeMap;

/// What a run showed.
#[derive(Clone, Debug)]
pub struct Report {
    /// The scenario's title.
    pub title: String,
    /// The firmware version it began as.
    pub preset: String,
    /// The cost table's name.
    pub costs: String,
    /// The seed.
    pub seed: u64,
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
    /// Who says so.
    pub cites: String,
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
    /// Whether what was found is right.
    pub fn holds(&self) -> bool {
        self.found.is_some_and(|found| (self.least..=self.most).contains(&found))
    }
}

impl Report {
    /// Whether every expectation holds.
    pub fn holds(&self) -> bool {
        self.expectations.iter().all(Outcome::holds)
    }
}
