//! Mutants that are built by themselves: what cannot be woven, and, to check the woven verdicts,
//! whatever is asked for.
//!
//! ```text
//!   lone_trials   the woven copy, but one file with one mutant in it instead of its woven ones
//!   rebuild       the unwoven sources with one mutant in them: no switch, no steps
//!                       └──► build its package ─► its tests ─ nobody noticed ─► all packages' tests
//! ```
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::baseline::{Baseline, BaselineError, timed};
use crate::cargo::{self, Built, Complaint, Memory};
use crate::load::Loaded;
use crate::long::LongTests;
use crate::mutant::Mutant;
use crate::outcome::Outcome;
use crate::run::{Run, Verdict, cited, homes};
use crate::subject::{Part, Subject};
use crate::suite::{Said, Suite};
use crate::trial::Court;
use crate::weave::Fabric;
use crate::workshop::Workshop;

/// A verdict, and what each test said.
type Found = (Outcome, BTreeMap<usize, Said>);

fn first_of(complaints: Vec<Complaint>) -> String {
    complaints.into_iter().next().map(|it| it.message).unwrap_or_default()
}

fn unviable(error: String) -> Found {
    (Outcome::Unviable { error }, BTreeMap::new())
}

/// Builds and tries, one after the other, what could not be woven.
pub(crate) fn lone_trials(
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
) -> Result<Found, BaselineError> {
    let mutant = &mutants[index];
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
    tried(subject, workshop, court, mutant, Memory::None)
}

/// Builds what is laid out and asks its tests: those of the mutant's own package first, and those of
/// all only when these notice nothing. `court` knows the same tests of the unchanged code.
fn tried(
    subject: &Subject,
    workshop: &Workshop,
    court: &Court<'_>,
    mutant: &Mutant,
    memory: Memory,
) -> Result<Found, BaselineError> {
    let own: Vec<&Part> =
        subject.parts.iter().filter(|part| mutant.file.starts_with(&part.folder)).collect();
    let mut found = None;
    // First the tests of its own package; the others only when these notice nothing.
    for parts in [own, subject.parts.iter().collect()] {
        let programs = match cargo::build(subject, &workshop.copy(), &parts, memory)? {
            Built::Programs(programs) => programs,
            Built::Broken(complaints) => return Ok(unviable(first_of(complaints))),
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
    workshop.lay_out(&BTreeMap::new())?;
    let memory = Memory::LastBuild;
    let (built, build_took) = timed(|| cargo::build(subject, &workshop.copy(), &parts, memory));
    let suite = match built? {
        Built::Programs(programs) => Suite::list(programs, &workshop.copy())?,
        Built::Broken(complaints) => return Err(BaselineError::Build(first_of(complaints))),
    };
    let cites = cited(subject, &workshop, &suite);
    let notes = workshop.notes()?;
    let (recorded, baseline_took) = timed(|| Baseline::record(&suite, &notes, u64::MAX));
    let baseline = recorded?;
    let long = LongTests::new(&suite, notes, BTreeSet::new());
    let court =
        Court { suite: &suite, baseline: &baseline, long: &long, cites: &cites, matrix: false };
    let sources: BTreeMap<PathBuf, String> = workshop.sources().collect();
    let mut verdicts = Vec::new();
    let (done, trials) = timed(|| -> Result<(), BaselineError> {
        for (index, mutant) in mutants.iter().enumerate() {
            let (found, took) = timed(|| match &mutant.change {
                Ok(change) => {
                    let text = sources.get(&mutant.file).map(|text| change.apply(text));
                    let texts = text.map(|text| (mutant.file.clone(), text)).into_iter().collect();
                    workshop.lay_out(&texts)?;
                    tried(subject, &workshop, &court, mutant, memory)
                }
                Err(matches) => Ok((Outcome::NotApplied { matches: *matches }, BTreeMap::new())),
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
