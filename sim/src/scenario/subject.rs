//! What a file is about: the manager loop, or the READ path where it says so.
use std::path::Path;

use super::error::ScenarioError;
use super::m3_read::ReadScenario;
use super::outline::{self, Step};
use super::source::Source;
use super::{Overrides, Problem, Scenario, check, m3_read, nearest};

/// The word by which a file names the READ path.
const M3_READ: &str = "m3_read";

/// A scenario of one of the subjects.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The `WireGuard` manager loop: a file without `subject`.
    WgMgr(Box<Scenario>),
    /// The READ path: `subject: m3_read`.
    M3Read(Box<ReadScenario>),
}

impl Subject {
    /// Reads a scenario of whatever subject its file names.
    ///
    /// # Errors
    /// The first thing that is wrong with the file, what it names or an override.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self, ScenarioError> {
        from_source(Source::read(path)?, overrides)
    }

    /// Reads one from a text as if it had been read from `path`.
    ///
    /// # Errors
    /// As [`Subject::load`].
    pub fn parse(path: &Path, text: String, overrides: &Overrides) -> Result<Self, ScenarioError> {
        from_source(Source::new(path, text), overrides)
    }

    /// Where chance begins.
    pub fn seed(&self) -> u64 {
        match self {
            Self::WgMgr(scenario) => scenario.seed,
            Self::M3Read(scenario) => scenario.fetch.seed,
        }
    }
}

fn from_source(source: Source, overrides: &Overrides) -> Result<Subject, ScenarioError> {
    let path = [Step::Field("subject")];
    let (found, steps) = outline::find(source.text(), &path);
    let word = if steps == 1 { source.text()[found].trim() } else { "" };
    match word {
        "" => {
            check::from_source(source, overrides).map(|scenario| Subject::WgMgr(Box::new(scenario)))
        }
        M3_READ => m3_read::from_source(source, overrides)
            .map(|scenario| Subject::M3Read(Box::new(scenario))),
        other => {
            let name = other.chars().take(60).collect::<String>();
            let near = nearest::nearest(&name, [M3_READ]).map(str::to_owned);
            let problem = Problem::UnknownName { what: "subject", name };
            let next = "write `subject: m3_read`, or leave it out for the manager loop";
            Err(source.error_at(&path, problem, next).with_nearest(near))
        }
    }
}
