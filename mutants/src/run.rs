//! A whole run: mutants into one copy, one build, the baseline, all trials.
//!
//! ```text
//!   workspace ─► copy ─► weave ─► build ──broken──► blame, or halve ─► weave without ─┐
//!                                   │ ▲                                               │
//!                                   │ └───────────────────────────────────────────────┘
//!                                   ▼
//!                               baseline ─► trials, in parallel ─► the rest, built alone
//! ```
//!
//! A compiler error inside a mutant's text is that mutant's; where no text is to blame, halves of the
//! mutants are built until it is known which are. A mutant that does not build is never a kill.
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::baseline::{Baseline, BaselineError, timed};
use crate::cargo::{self, Built, Complaint, Program};
use crate::cites::{self, Citation};
use crate::long::{LONG_FROM, LongTests};
use crate::mutant::Mutant;
use crate::outcome::Outcome;
use crate::pool;
use crate::subject::{Part, Subject};
use crate::suite::{Said, Suite, Test};
use crate::trial::Court;
use crate::weave::{Fabric, Way, Woven};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Whether every test that reaches a mutant is asked, and not only until one has noticed.
    pub matrix: bool,
    /// A test of more steps is long; see [`crate::long`]. With the matrix none is.
    pub long_from: u64,
}

impl Default for Manner {
    fn default() -> Self {
        Self { matrix: false, long_from: LONG_FROM }
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

/// A copy with mutants in it, ready for trials.
#[derive(Debug)]
struct Loaded {
    woven: Woven,
    programs: Vec<Program>,
    /// Those that do not build, with what the compiler says.
    refused: BTreeMap<usize, String>,
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
    let suite = Suite::list(loaded.programs.clone(), &copy)?;
    let cites = cited(subject, &workshop, &suite);
    let notes = workshop.notes()?;
    let Manner { matrix, .. } = manner;
    let long_from = if matrix { u64::MAX } else { manner.long_from };
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

/// Tries the mutants by building each by itself, from the changed source as it is: no switch, no
/// steps, a limit of real time. What the woven runs are compared with.
///
/// # Errors
/// [`BaselineError`], after which nothing may be judged.
pub fn rebuild(
    subject: &Subject,
    mutants: Vec<Mutant>,
    judged: &(dyn Fn(&Mutant, &Verdict) + Sync),
) -> Result<Run, BaselineError> {
    let workshop = Workshop::open(subject)?;
    let parts: Vec<&Part> = subject.parts.iter().collect();
    let build = |texts: &BTreeMap<PathBuf, String>| -> io::Result<Result<Suite, String>> {
        workshop.lay_out(texts)?;
        Ok(match cargo::build(subject, &workshop.copy(), &parts)? {
            Built::Programs(programs) => Ok(Suite::list(programs, &workshop.copy())?),
            Built::Broken(complaints) => {
                Err(complaints.into_iter().next().map(|it| it.message).unwrap_or_default())
            }
        })
    };
    let (built, build_took) = timed(|| build(&BTreeMap::new()));
    let suite = built?.map_err(BaselineError::Build)?;
    let cites = cited(subject, &workshop, &suite);
    let notes = workshop.notes()?;
    let (recorded, baseline_took) = timed(|| Baseline::record(&suite, &notes, u64::MAX));
    let baseline = recorded?;
    let all: Vec<usize> = (0..suite.tests.len()).collect();
    let sources: BTreeMap<PathBuf, String> = workshop.sources().collect();
    let mut verdicts = Vec::new();
    let (done, trials) = timed(|| -> Result<(), BaselineError> {
        for (index, mutant) in mutants.iter().enumerate() {
            let (found, took) = timed(|| -> Result<_, BaselineError> {
                let change = match &mutant.change {
                    Ok(change) => change,
                    Err(matches) => {
                        return Ok((Outcome::NotApplied { matches: *matches }, [].into()));
                    }
                };
                let text = sources.get(&mutant.file).map(|text| change.apply(text));
                let texts = text.map(|text| (mutant.file.clone(), text)).into_iter().collect();
                Ok(match build(&texts)? {
                    Err(error) => (Outcome::Unviable { error }, BTreeMap::new()),
                    Ok(suite) => {
                        let (baseline, cites) = (&baseline, cites.as_slice());
                        let long = &LongTests::new(&suite, notes.clone(), BTreeSet::new());
                        let court = Court { suite: &suite, baseline, long, cites, matrix: false };
                        let finding = court.judge(mutant, 0, &all)?;
                        (finding.outcome, finding.said)
                    }
                })
            });
            let (outcome, said) = found?;
            let verdict =
                Verdict { mutant: index, outcome, took, alone: true, reached_by: vec![], said };
            judged(mutant, &verdict);
            verdicts.push(verdict);
        }
        Ok(())
    });
    done?;
    Ok(Run {
        mutants,
        verdicts,
        homes: homes(&suite),
        cites,
        long: 0,
        left_out: 0,
        build: build_took,
        baseline: baseline_took,
        trials,
        tests: suite.tests,
    })
}

/// For each test the folder of its package and the target it belongs to.
fn homes(suite: &Suite) -> Vec<(PathBuf, String)> {
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

/// Weaves and builds until what is left builds.
fn load(
    subject: &Subject,
    workshop: &Workshop,
    fabric: &Fabric,
    mutants: &[Mutant],
) -> Result<Loaded, BaselineError> {
    let parts: Vec<&Part> = subject.parts.iter().collect();
    let build = |left_out: &BTreeSet<usize>| -> io::Result<(Woven, Built)> {
        let woven = fabric.weave(mutants, left_out);
        workshop.lay_out(&woven.texts)?;
        let built = cargo::build(subject, &workshop.copy(), &parts)?;
        Ok((woven, built))
    };
    let (mut left_out, mut refused) = (BTreeSet::new(), BTreeMap::new());
    loop {
        let (woven, built) = build(&left_out)?;
        let complaints = match built {
            Built::Programs(programs) => return Ok(Loaded { woven, programs, refused }),
            Built::Broken(complaints) => complaints,
        };
        let first = complaints.first().map(|it| it.message.clone()).unwrap_or_default();
        if woven.ways.is_empty() {
            return Err(BaselineError::Build(first));
        }
        let mut blamed = blame(&woven.ways, &complaints);
        if blamed.is_empty() {
            let all: Vec<usize> = woven.ways.iter().map(|way| way.mutant).collect();
            let builds = |some: &[usize]| -> io::Result<bool> {
                let others = (0..mutants.len()).filter(|index| !some.contains(index)).collect();
                Ok(matches!(build(&others)?.1, Built::Programs(_)))
            };
            if !builds(&[])? {
                return Err(BaselineError::Build(first));
            }
            blamed = halve(&all, &builds)?.into_iter().map(|it| (it, first.clone())).collect();
        }
        left_out.extend(blamed.keys().copied());
        refused.extend(blamed);
    }
}

/// The mutants inside whose texts the compiler found something, with what it says first.
fn blame(ways: &[Way], complaints: &[Complaint]) -> BTreeMap<usize, String> {
    let mut blamed = BTreeMap::new();
    for complaint in complaints {
        let inside = complaint.places.iter().find_map(|(file, place)| {
            let holds = |way: &&Way| {
                way.file == *file && way.range.start <= place.start && place.end <= way.range.end
            };
            ways.iter().filter(holds).min_by_key(|way| way.range.len())
        });
        if let Some(way) = inside {
            blamed.entry(way.mutant).or_insert_with(|| complaint.message.clone());
        }
    }
    blamed
}

/// The smallest groups that do not build, found by building halves: mostly single mutants.
fn halve(
    some: &[usize],
    builds: &impl Fn(&[usize]) -> io::Result<bool>,
) -> io::Result<BTreeSet<usize>> {
    if builds(some)? {
        return Ok(BTreeSet::new());
    }
    if some.len() <= 1 {
        return Ok(some.iter().copied().collect());
    }
    let (left, right) = some.split_at(some.len() / 2);
    let mut found = halve(left, builds)?;
    found.extend(halve(right, builds)?);
    if found.is_empty() {
        // Each half builds without the other: none of them is woven.
        found.extend(some);
    }
    Ok(found)
}

fn cited(subject: &Subject, workshop: &Workshop, suite: &Suite) -> Vec<BTreeSet<String>> {
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

/// Builds and tries, one after the other, what could not be woven.
fn lone_trials(
    subject: &Subject,
    workshop: &Workshop,
    fabric: &Fabric,
    court: &Court<'_>,
    mutants: &[Mutant],
    loaded: &Loaded,
    judged: &(dyn Fn(&Mutant, &Verdict) + Sync),
) -> Result<Vec<Verdict>, BaselineError> {
    let written = |index: &&usize| mutants[**index].is_written();
    let chosen: BTreeSet<usize> =
        loaded.woven.alone.iter().chain(loaded.refused.keys()).filter(written).copied().collect();
    let mut verdicts = Vec::new();
    for &index in &chosen {
        let (found, took) =
            timed(|| lone_trial(subject, workshop, fabric, court, mutants, index, loaded));
        let (outcome, said) = found?;
        let verdict =
            Verdict { mutant: index, outcome, took, alone: true, reached_by: vec![], said };
        judged(&mutants[index], &verdict);
        verdicts.push(verdict);
    }
    if !chosen.is_empty() {
        workshop.lay_out(&loaded.woven.texts)?;
    }
    Ok(verdicts)
}

fn lone_trial(
    subject: &Subject,
    workshop: &Workshop,
    fabric: &Fabric,
    court: &Court<'_>,
    mutants: &[Mutant],
    index: usize,
    loaded: &Loaded,
) -> Result<(Outcome, BTreeMap<usize, Said>), BaselineError> {
    let mutant = &mutants[index];
    let unviable = |error: String| (Outcome::Unviable { error }, BTreeMap::new());
    let (Ok(change), Some(text)) = (&mutant.change, fabric.text(&mutant.file)) else {
        return Ok(unviable("its file is none of the workspace's sources".to_owned()));
    };
    let changed = match fabric.replaced(&mutant.file, &change.apply(text)) {
        Ok(changed) => changed,
        Err(error) => return Ok(unviable(error)),
    };
    // Every other file stays as it is woven, so that little has to be built.
    let in_file = (0..mutants.len()).filter(|&it| mutants[it].file == mutant.file);
    let left_out = in_file.chain(loaded.refused.keys().copied()).collect();
    let woven = changed.weave(mutants, &left_out);
    let mut texts = if loaded.woven.functions == woven.functions {
        let mut texts = loaded.woven.texts.clone();
        texts.extend(woven.texts.get(&mutant.file).map(|it| (mutant.file.clone(), it.clone())));
        texts
    } else {
        woven.texts
    };
    texts.entry(mutant.file.clone()).or_insert_with(|| change.apply(text));
    workshop.lay_out(&texts)?;
    let own: Vec<&Part> =
        subject.parts.iter().filter(|part| mutant.file.starts_with(&part.folder)).collect();
    let mut found = None;
    // First the tests of its own package; the others only when these notice nothing.
    for parts in [own, subject.parts.iter().collect()] {
        let programs = match cargo::build(subject, &workshop.copy(), &parts)? {
            Built::Programs(programs) => programs,
            Built::Broken(complaints) => {
                let error = complaints.into_iter().next().map(|it| it.message);
                return Ok(unviable(error.unwrap_or_default()));
            }
        };
        let suite = Suite::list(programs, &workshop.copy())?;
        let known: Vec<usize> = suite.tests.iter().map(|test| court.known(&suite, test)).collect();
        let pick = |list: &[u64]| -> Vec<u64> {
            known.iter().map(|&it| list.get(it).copied().unwrap_or(0)).collect()
        };
        let baseline = Baseline { steps: pick(&court.baseline.steps), ..Baseline::default() };
        let cites: Vec<_> =
            known.iter().map(|&it| court.cites.get(it).cloned().unwrap_or_default()).collect();
        // Its own build has no long tests: what they reach is unknown, as it is of all.
        let long = &LongTests::new(&suite, workshop.copy(), BTreeSet::new());
        let lone = Court { suite: &suite, baseline: &baseline, long, cites: &cites, matrix: false };
        let all: Vec<usize> = (0..suite.tests.len()).collect();
        let finding = lone.judge(mutant, 0, &all)?;
        let said = finding.said.iter().map(|(&test, &said)| (known[test], said)).collect();
        let is_killed = matches!(finding.outcome, Outcome::Killed { .. } | Outcome::Flaky { .. });
        found = Some((finding.outcome, said));
        if is_killed {
            break;
        }
    }
    Ok(found.unwrap_or_else(|| unviable("there is no package to build".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(mutant: usize, range: std::ops::Range<usize>) -> Way {
        Way { mutant, number: 1, place: 1, file: "a.rs".into(), range }
    }

    #[test]
    fn an_error_is_the_innermost_mutants_in_whose_text_it_is() {
        let ways = [way(4, 10..90), way(7, 20..30)];
        let complaint = |message: &str, place: std::ops::Range<usize>| Complaint {
            message: message.to_owned(),
            places: vec![("b.rs".into(), 0..1), ("a.rs".into(), place)],
        };
        let blamed = blame(&ways, &[complaint("x", 22..25), complaint("y", 22..40)]);
        assert_eq!(blamed, BTreeMap::from([(4, "y".to_owned()), (7, "x".to_owned())]));
        assert_eq!(blame(&ways, &[complaint("z", 0..5)]), BTreeMap::new());
    }

    #[test]
    fn halves_are_built_until_it_is_known_who_spoils_the_rest() {
        let all: Vec<usize> = (0..9).collect();
        let builds = |some: &[usize]| Ok(!some.contains(&3) && !some.contains(&8));
        assert_eq!(halve(&all, &builds).expect("it builds"), BTreeSet::from([3, 8]));
        let quarrel = |some: &[usize]| Ok(!(some.contains(&3) && some.contains(&8)));
        assert_eq!(halve(&all, &quarrel).expect("it builds"), all.iter().copied().collect());
        assert_eq!(halve(&all, &|_: &[usize]| Ok(true)).expect("it builds"), BTreeSet::new());
    }
}
