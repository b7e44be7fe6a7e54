//! `expect`: what the run must show, each figure with who says so.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::Count;

/// One expectation: a `value` with one tolerance, or a bound, or two bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Expectation", deny_unknown_fields)]
pub struct ExpectFile {
    /// A metric's name, as `preflash explain` lists them.
    pub metric: String,
    /// The right value.
    #[serde(default)]
    pub value: Option<f64>,
    /// How far off is still right, in percent of the value. Default 0.
    #[serde(default)]
    pub tolerance_percent: Option<f64>,
    /// How far off is still right, in the metric's unit. Default 0.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// The least value that is right.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// The greatest value that is right.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// The measurement behind the value, shown beside what the run gave.
    #[serde(default)]
    pub measured: Option<MeasuredFile>,
    /// Who says so: clauses such as `"WG-DISCO-1"`, or `"case 02"`, `"facts g2"`, `"claim 7"`;
    /// several with commas between.
    pub cites: String,
}

/// A measurement: its own spread over so many runs, in the metric's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Measured", deny_unknown_fields)]
pub struct MeasuredFile {
    /// The median, or the only figure.
    pub median: f64,
    /// The least. Default: the median.
    #[serde(default)]
    pub least: Option<f64>,
    /// The greatest. Default: the median.
    #[serde(default)]
    pub most: Option<f64>,
    /// How many runs were measured; unknown by default.
    #[serde(default)]
    pub runs: Option<Count<1_000_000>>,
}
