//! The file of a READ scenario: the RON shape and its defaults, before any rule across fields.
//!
//! ```text
//!  ( version: 1, subject: m3_read, title, seed, arm,
//!    page:       (…)   what the server sends
//!    step_bytes        how the engine hands it out
//!    parameters: (…)   figures that differ from the published bench's
//!    expect:     […] ) what the run must show
//! ```
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::parameters::ParametersFile;
use crate::scenario::file::expect::ExpectFile;
use crate::scenario::file::units::{Count, Millis};

/// A scenario of the READ path as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "ReadScenario", deny_unknown_fields)]
pub struct ReadScenarioFile {
    /// The format's version: 1.
    pub version: u32,
    /// What the file is about.
    pub subject: SubjectFile,
    /// What the run is about, in one line.
    pub title: String,
    /// Where every named stream of chance begins. Default 1.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// The client's build: F, 1 or 2.
    pub arm: String,
    /// What the server sends.
    pub page: PageFile,
    /// Where the server stops, if it does before the body is complete. Default: it does not.
    #[serde(default)]
    pub stops: Option<StopFile>,
    /// A continuation that comes late. Default: none does.
    #[serde(default)]
    pub late: Option<LateFile>,
    /// Plaintext bytes of one engine step. Default 960.
    #[serde(default = "default_step")]
    pub step_bytes: Count<16_384>,
    /// Figures that differ from the published bench's. Default: none.
    #[serde(default)]
    pub parameters: ParametersFile,
    /// What the run must show. Default: nothing is judged.
    #[serde(default)]
    pub expect: Vec<ExpectFile>,
}

/// The one subject of this shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Subject", rename_all = "snake_case")]
pub enum SubjectFile {
    /// The READ path of the C64's client.
    M3Read,
}

/// A page as a server sends it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Page", deny_unknown_fields)]
pub struct PageFile {
    /// Bytes of the body; the client counts up to 16 777 215.
    pub body_bytes: Count<{ u32::MAX as u64 }>,
    /// Bytes of the head, the empty line included, 80..=65 536.
    pub head_bytes: Count<{ u32::MAX as u64 }>,
}

/// The server stops within the body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Stop", deny_unknown_fields)]
pub struct StopFile {
    /// After so many bytes of the body.
    pub after_bytes: Count<{ u32::MAX as u64 }>,
    /// How.
    pub how: HowFile,
}

/// The Nios is late with a continuation, and looks at nothing else until then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Late", deny_unknown_fields)]
pub struct LateFile {
    /// Which continuation of the run, counted from 1.
    pub continuation: Count<{ u32::MAX as u64 }>,
    /// How late, in milliseconds.
    pub by_ms: Millis,
}

/// How a server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "How", rename_all = "snake_case")]
pub enum HowFile {
    /// It says nothing more, and the connection stays open.
    Silent,
    /// It closes with a notification.
    Notified,
    /// It closes without one.
    WithoutNotify,
}

const fn default_seed() -> u64 {
    1
}

const fn default_step() -> Count<16_384> {
    Count::new(crate::read::engine::STEP_BYTES as u64)
}
