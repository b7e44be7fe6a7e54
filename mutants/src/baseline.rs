//! The tests of the unchanged code: all pass, twice, and each says which places it reaches in how
//! many steps.
//!
//! ```text
//!   each test alone, recording ─► places reached, steps     what a mutant's trial has to run
//!                   └─ too many steps ─► long               see `crate::long`
//!   all others again, together ─► the same?  no ─► flaky    nothing is judged
//! ```
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::pool;
use crate::suite::{Said, Setting, Suite};

/// What is known of the tests of the unchanged code.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// For each test the places that it reaches, by their first numbers.
    pub reached: Vec<BTreeSet<u32>>,
    /// For each test a number of steps that it does not exceed; the largest of all for a long one.
    pub steps: Vec<u64>,
    /// The tests that were ended because they took too many steps.
    pub long: BTreeSet<usize>,
    /// For each test how long its process took.
    pub took: Vec<Duration>,
}

/// Why nothing is judged.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The copy could not be made, or cargo could not be started.
    #[error("the copy cannot be tried: {0}")]
    Workshop(#[from] io::Error),
    /// The unchanged crate does not build.
    #[error("the unchanged crate does not build: {0}")]
    Build(String),
    /// Tests of the unchanged crate fail.
    #[error("tests of the unchanged crate fail: {}; nothing is judged before they pass", .0.join(", "))]
    Tests(Vec<String>),
    /// A test of the unchanged crate fails once and passes once.
    #[error(
        "`{}` passes on one run of the unchanged crate and fails on another; \
        no verdict that rests on it would mean anything", .0.join("`, `")
    )]
    Flaky(Vec<String>),
    /// There is no test, or none that is meant.
    #[error("there is no such test in the unchanged crate")]
    NoTest,
}

/// A trial may take so many times the steps of the baseline, and [`STEPS_LEAST`] more.
const STEPS_FACTOR: u64 = 4;
/// Into so many groups the tests are divided when they run together.
const GROUPS: u32 = 16;
/// Steps that any trial may take.
const STEPS_LEAST: u64 = 1_000_000;

impl Baseline {
    /// Runs every test of the suite twice, but those once that take more steps than `long_from`;
    /// `notes` is an empty folder for the records.
    ///
    /// # Errors
    /// When a test fails, or fails once.
    pub fn record(suite: &Suite, notes: &Path, long_from: u64) -> Result<Self, BaselineError> {
        if suite.tests.is_empty() {
            return Err(BaselineError::NoTest);
        }
        let recorded = pool::each(suite.tests.len(), |test| {
            let file = notes.join(test.to_string());
            let setting = Setting::Record { file: &file, steps: long_from };
            let (said, took) = timed(|| suite.run(&[test], setting));
            said.map(|said| (said.get(&test).copied(), took, read(&file)))
        });
        let mut baseline = Self::default();
        let mut first = Vec::new();
        for (test, result) in recorded.into_iter().enumerate() {
            let (said, took, (reached, steps)) = result?;
            let is_long = said == Some(Said::TimedOut) && steps > long_from;
            baseline.long.extend(is_long.then_some(test));
            first.push(said.unwrap_or(Said::Crashed));
            baseline.reached.push(reached);
            baseline.steps.push(if is_long { u64::MAX } else { steps });
            baseline.took.push(took);
        }
        let groups = even(&baseline.short_by_program(suite), &baseline.took);
        let again = pool::each(groups.len(), |group| {
            let tests = &groups[group];
            suite.run(tests, Setting::Mutant { number: 0, steps: baseline.allowed(tests) })
        });
        let (mut failed, mut flaky) = (Vec::new(), Vec::new());
        for said in again {
            for (test, second) in said? {
                let path = suite.tests[test].path.clone();
                match (first[test], second) {
                    (Said::Passed, Said::Passed) => {}
                    (Said::Passed, _) | (_, Said::Passed) => flaky.push(path),
                    _ => failed.push(path),
                }
            }
        }
        // Groups end in the order of their times, which is no order.
        failed.sort();
        flaky.sort();
        match (failed.is_empty(), flaky.is_empty()) {
            (false, _) => Err(BaselineError::Tests(failed)),
            (true, false) => Err(BaselineError::Flaky(flaky)),
            (true, true) => Ok(baseline),
        }
    }

    /// The tests that are not long, program by program.
    fn short_by_program(&self, suite: &Suite) -> Vec<Vec<usize>> {
        let mut programs = suite.by_program();
        for tests in &mut programs {
            tests.retain(|test| !self.long.contains(test));
        }
        programs.retain(|tests| !tests.is_empty());
        programs
    }

    /// How many steps these tests may take together when something is switched on.
    pub fn allowed(&self, tests: &[usize]) -> u64 {
        let steps = tests.iter().filter_map(|&test| self.steps.get(test));
        allowed(steps.fold(0, |sum, &steps| sum.saturating_add(steps)))
    }
}

/// How many steps a trial may take for which the unchanged code takes `steps`.
pub fn allowed(steps: u64) -> u64 {
    steps.saturating_mul(STEPS_FACTOR).saturating_add(STEPS_LEAST)
}

/// The tests of each program in groups that take about equally long, the longest first: so that all
/// processors have something to do until the end.
fn even(programs: &[Vec<usize>], took: &[Duration]) -> Vec<Vec<usize>> {
    let time = |tests: &[usize]| tests.iter().map(|&test| took[test]).sum::<Duration>();
    let fair = programs.iter().map(|tests| time(tests)).sum::<Duration>() / GROUPS;
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for program in programs {
        let mut open: Vec<usize> = Vec::new();
        for &test in program {
            if !open.is_empty() && time(&open) + took[test] > fair {
                groups.push(std::mem::take(&mut open));
            }
            open.push(test);
        }
        groups.push(open);
    }
    groups.sort_by_key(|tests| (std::cmp::Reverse(time(tests)), tests.first().copied()));
    groups
}

/// The places of a record, and a bound of the steps: they are written at each doubling.
pub fn read(file: &Path) -> (BTreeSet<u32>, u64) {
    let text = fs::read_to_string(file).unwrap_or_default();
    let (mut places, mut steps) = (BTreeSet::new(), 0_u64);
    for line in text.lines() {
        if let Some(place) = line.strip_prefix("at ").and_then(|it| it.parse().ok()) {
            places.insert(place);
        } else if let Some(taken) = line.strip_prefix("steps ").and_then(|it| it.parse().ok()) {
            steps = steps.max(taken);
        }
    }
    (places, steps.saturating_mul(2).max(64))
}

/// How long something takes.
#[expect(clippy::disallowed_methods, reason = "reports say how long a trial took; no verdict does")]
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let result = work();
    (result, began.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_gives_places_and_a_bound_of_the_steps() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("1");
        fs::write(&file, "steps 1\nat 7\nsteps 64\nat 3\nat x\nsteps 128\n").expect("writable");
        assert_eq!(read(&file), (BTreeSet::from([3, 7]), 256));
        assert_eq!(read(&folder.path().join("none")), (BTreeSet::new(), 64));
    }

    #[test]
    fn groups_take_about_equally_long_and_stay_within_a_program() {
        let took = [1, 15, 1, 1, 14].map(Duration::from_secs);
        let groups = even(&[vec![0, 1, 2], vec![3, 4]], &took);
        assert_eq!(groups, [vec![1], vec![4], vec![0], vec![2], vec![3]]);
    }

    #[test]
    fn a_trial_may_take_four_times_the_steps_and_a_million() {
        let baseline = Baseline { steps: vec![10, 20, 40], ..Baseline::default() };
        assert_eq!(baseline.allowed(&[0, 2]), 1_000_200);
    }
}
