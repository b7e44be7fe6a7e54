//! A whole run: mutants into one copy, one build, the baseline, all trials.
//!
//! ```text
//!   workspace ─► copy ─► weave, build ─► baseline ─► trials, in parallel ─► the rest, built alone
//!                         crate::load                crate::trial           crate::alone
//! ```
//!
//! A mutant that does not build is never a kill.
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::alone::lone_trials;
use crate::baseline::{Baseline, BaselineError, timed};
use crate::cites::{self, Citation};
use crate::load::{Loaded, load};
use crate::long::{LONG_FROM, LongTests};
use crate::mutant::Mutant;
use crate::outcome::Outcome;
use crate::pool;
use crate::subject::Subject;
use crate::suite::{Said, Suite, Test};
use crate::trial::Court;
use crate::weave::{Fabric, Way};
use crate::workshop::Workshop;

/// What one mutant came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The mutant's index in the run.
    pub mutant: usize,
    /// The verdict.
    pub outcome: Outcome,
    /// How long its trial took, with its build when it was built alone.
    pub took: Duration,
    /// Whether it could not be woven.
    pub alone: bool,
    /// The tests that reach it, by index; unknown when it was built alone.
    pub reached_by: Vec<usize>,
    /// What each test said that was run.
    pub said: BTreeMap<usize, Said>,
}

/// How a run goes about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Whether every test that reaches a mutant is asked, and not only until one has noticed.
    pub matrix: bool,
    /// A test of more steps is long; see [`crate::long`]. With the matrix none is.
    pub long_from: u64,
    /// Only tests with this in their path are asked, and then none is long.
    pub only: Option<String>,
}

impl Default for Manner {
    fn default() -> Self {
        Self { matrix: false, long_from: LONG_FROM, only: None }
    }
}

/// A finished run.
#[derive(Debug)]
pub struct Run {
    /// The mutants.
    pub mutants: Vec<Mutant>,
    /// One verdict for each, in their order.
    pub verdicts: Vec<Verdict>,
    /// The tests.
    pub tests: Vec<Test>,
    /// For each test the folder of its package and the target it belongs to.
    pub homes: Vec<(PathBuf, String)>,
    /// For each test the clauses that it cites.
    pub cites: Vec<BTreeSet<String>>,
    /// How many tests were too long to be asked about what others notice.
    pub long: usize,
    /// Generated mutants that were not tried because they cannot be woven.
    pub left_out: usize,
    /// How long the weaving and the builds of the woven copy took.
    pub build: Duration,
    /// How long the tests of the unchanged code took.
    pub baseline: Duration,
    /// How long all trials took.
    pub trials: Duration,
}

/// Tries the mutants.
///
/// # Errors
/// [`BaselineError`], after which nothing may be judged.
pub fn run(
    subject: &Subject,
    mutants: Vec<Mutant>,
    manner: Manner,
    judged: &(dyn Fn(&Mutant, &Verdict) + Sync),
) -> Result<Run, BaselineError> {
    let workshop = Workshop::open(subject)?;
    let fabric = fabric(subject, &workshop);
    let alone: BTreeSet<usize> =
        fabric.weave(&mutants, &BTreeSet::new()).alone.into_iter().collect();
    let all = mutants.len();
    let mutants: Vec<Mutant> = mutants
        .into_iter()
        .enumerate()
        .filter(|(index, mutant)| mutant.is_written() || !alone.contains(index))
        .map(|(_, mutant)| mutant)
        .collect();
    let left_out = all - mutants.len();
    let (loaded, build) = timed(|| load(subject, &workshop, &fabric, &mutants));
    let loaded = loaded?;
    let copy = workshop.copy();
    let mut suite = Suite::list(loaded.programs.clone(), &copy)?;
    if let Some(text) = &manner.only {
        suite.tests.retain(|test| test.path.contains(text));
    }
    let cites = cited(subject, &workshop, &suite);
    let notes = workshop.notes()?;
    let matrix = manner.matrix;
    let long_from = if matrix || manner.only.is_some() { u64::MAX } else { manner.long_from };
    let (recorded, baseline_took) = timed(|| Baseline::record(&suite, &notes, long_from));
    let baseline = recorded?;
    let long = LongTests::new(&suite, notes, baseline.long.clone());
    let court = Court { suite: &suite, baseline: &baseline, long: &long, cites: &cites, matrix };
    let (verdicts, trials) = timed(|| {
        let mut verdicts = woven_trials(&court, &mutants, &loaded.woven.ways, judged)?;
        verdicts.extend(refusals(&mutants, &loaded));
        verdicts
            .extend(lone_trials(subject, &workshop, &fabric, &court, &mutants, &loaded, judged)?);
        Ok::<_, BaselineError>(verdicts)
    });
    let mut verdicts = verdicts?;
    verdicts.sort_by_key(|verdict| verdict.mutant);
    Ok(Run {
        long: baseline.long.len(),
        mutants,
        verdicts,
        homes: homes(&suite),
        cites,
        left_out,
        build,
        baseline: baseline_took,
        trials,
        tests: suite.tests,
    })
}

/// For each test the folder of its package and the target it belongs to.
pub(crate) fn homes(suite: &Suite) -> Vec<(PathBuf, String)> {
    let home = |test: &Test| {
        let program = suite.program(test);
        (program.folder.clone(), program.target.clone())
    };
    suite.tests.iter().map(home).collect()
}

fn fabric(subject: &Subject, workshop: &Workshop) -> Fabric {
    let sources: Vec<PathBuf> = subject.parts.iter().map(|part| part.folder.join("src")).collect();
    let compiled: Vec<PathBuf> = subject.parts.iter().map(|part| part.folder.clone()).collect();
    let files =
        workshop.sources().filter(|(path, _)| compiled.iter().any(|it| path.starts_with(it)));
    Fabric::new(files, |path| sources.iter().any(|folder| path.starts_with(folder)))
}

pub(crate) fn cited(
    subject: &Subject,
    workshop: &Workshop,
    suite: &Suite,
) -> Vec<BTreeSet<String>> {
    let all: Vec<Citation> = workshop
        .sources()
        .flat_map(|(path, text)| cites::citations(&path, &text, &subject.clauses))
        .collect();
    let of = |test: &Test| {
        let program = suite.program(test);
        let mine =
            |it: &&Citation| it.test == test.function() && it.file.starts_with(&program.folder);
        all.iter().filter(mine).flat_map(|it| it.clauses.iter().cloned()).collect()
    };
    suite.tests.iter().map(of).collect()
}

fn woven_trials(
    court: &Court<'_>,
    mutants: &[Mutant],
    ways: &[Way],
    judged: &(dyn Fn(&Mutant, &Verdict) + Sync),
) -> Result<Vec<Verdict>, BaselineError> {
    let verdicts = pool::each(ways.len(), |index| {
        let way = &ways[index];
        let reaching: Vec<usize> = (0..court.suite.tests.len())
            .filter(|test| !court.baseline.long.contains(test))
            .filter(|&test| court.baseline.reached[test].contains(&way.place))
            .collect();
        let mutant = &mutants[way.mutant];
        let (finding, took) = timed(|| court.judge_woven(mutant, way, &reaching));
        finding.map(|finding| {
            let verdict = Verdict {
                mutant: way.mutant,
                outcome: finding.outcome,
                took,
                alone: false,
                reached_by: reaching,
                said: finding.said,
            };
            judged(mutant, &verdict);
            verdict
        })
    });
    verdicts.into_iter().collect()
}

/// The verdicts that need no trial.
fn refusals(mutants: &[Mutant], loaded: &Loaded) -> Vec<Verdict> {
    let verdict = |mutant: usize, outcome: Outcome| Verdict {
        mutant,
        outcome,
        took: Duration::ZERO,
        alone: false,
        reached_by: vec![],
        said: BTreeMap::new(),
    };
    let unplaced = mutants.iter().enumerate().filter_map(|(index, mutant)| {
        let matches = mutant.change.as_ref().err().copied()?;
        Some(verdict(index, Outcome::NotApplied { matches }))
    });
    let broken = loaded.woven.broken.iter().map(|(index, error)| (*index, error.clone()));
    // A written mutant gets a second chance: built alone, it may turn out to be none of the kind.
    let refused = loaded.refused.iter().map(|(index, error)| (*index, error.clone()));
    let refused = refused.filter(|(index, _)| !mutants[*index].is_written());
    let unviable = broken.chain(refused);
    unplaced
        .chain(unviable.map(|(index, error)| verdict(index, Outcome::Unviable { error })))
        .collect()
}
