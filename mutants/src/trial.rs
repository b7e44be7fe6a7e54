//! One mutant, judged by the tests that reach it.
//!
//! ```text
//!   tests that reach the place ─┬─ cite the clause ──► failed? ──► again? ──► killed, or flaky
//!                               └─ others ───────────► failed? ─────────────► collateral
//!                                                      none ────────────────► survived
//! ```
//!
//! A test that does not reach the changed place cannot tell the mutant from the original, so it is
//! not run. They are asked by the number of their steps, the quickest first, until one has noticed;
//! long ones only about a mutant that got past all others. With the whole matrix asked for, every
//! test that reaches it is.
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::baseline::{Baseline, BaselineError};
use crate::long::LongTests;
use crate::mutant::Mutant;
use crate::outcome::Outcome;
use crate::suite::{Said, Setting, Suite, Test};
use crate::weave::Way;

/// Tests that take no more steps than this together run in one process.
const BATCH_STEPS: u64 = 1 << 18;
/// A test of more steps than this is not asked about a generated mutant whose clauses it does not
/// cite, except for a matrix; the verdict says so.
const GENERATED_STEPS_MOST: u64 = 1 << 18;

/// What tests are asked, and what is known of them.
#[derive(Debug)]
pub struct Court<'a> {
    /// The tests.
    pub suite: &'a Suite,
    /// What they do with the unchanged code.
    pub baseline: &'a Baseline,
    /// What is known of the long ones.
    pub long: &'a LongTests<'a>,
    /// For each test the clauses that it cites.
    pub cites: &'a [BTreeSet<String>],
    /// Whether every test that reaches a mutant is run, and not only until one has killed it.
    pub matrix: bool,
}

/// What a trial found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The verdict.
    pub outcome: Outcome,
    /// What each test said that was run, by its index.
    pub said: BTreeMap<usize, Said>,
}

impl Court<'_> {
    /// Judges a mutant at its place behind the switch; `reaching` are the tests that get there.
    ///
    /// # Errors
    /// When a program cannot be started, or a long test fails unchanged.
    pub fn judge_woven(
        &self,
        mutant: &Mutant,
        way: &Way,
        reaching: &[usize],
    ) -> Result<Finding, BaselineError> {
        let mut finding = self.judge(mutant, way.number, reaching)?;
        let noticed = finding.said.values().any(|&it| it != Said::Passed);
        if noticed || !mutant.is_written() {
            return Ok(finding);
        }
        let mut reached_by = reaching.len();
        let mut allowed = BTreeMap::new();
        for test in self.sorted(mutant, &self.long.tests()).concat() {
            let Some(steps) = self.long.steps(test, way.place)? else { continue };
            reached_by += 1;
            allowed.insert(test, steps);
            let setting = Setting::Mutant { number: way.number, steps };
            finding.said.extend(self.suite.run(&[test], setting)?);
            if finding.said.get(&test) != Some(&Said::Passed) {
                break;
            }
        }
        let repeat = |test: usize| {
            let steps = allowed.get(&test).copied().unwrap_or(u64::MAX);
            self.suite.run(&[test], Setting::Mutant { number: way.number, steps })
        };
        self.found(mutant, finding.said, reached_by, 0, repeat)
    }

    /// First the tests that the entry names, if they cite the clause; then all others that do;
    /// then the rest.
    fn sorted(&self, mutant: &Mutant, tests: &[usize]) -> [Vec<usize>; 3] {
        let (citing, others): (Vec<usize>, Vec<usize>) =
            tests.iter().partition(|&&test| self.cites_one_of(test, &mutant.clauses));
        let (named, citing) = citing.into_iter().partition(|&test| {
            mutant.killers().iter().any(|name| name == self.suite.tests[test].function())
        });
        [named, citing, others]
    }

    /// Judges a mutant that has this number on the switch by these tests.
    ///
    /// # Errors
    /// When a program cannot be started.
    pub fn judge(
        &self,
        mutant: &Mutant,
        number: u32,
        reaching: &[usize],
    ) -> Result<Finding, BaselineError> {
        let [named, citing, others] = self.sorted(mutant, reaching);
        let mut said = BTreeMap::new();
        let batches = self.batches(&named).into_iter().chain(self.batches(&citing));
        for tests in batches {
            said.extend(self.ask(&tests, number)?);
            if !self.matrix && said.values().any(|&it| it != Said::Passed) {
                break;
            }
        }
        let mut not_asked = 0;
        for tests in self.batches(&others) {
            let decided = said.values().any(|&it| it != Said::Passed);
            if !self.matrix && !mutant.is_written() && self.steps(&tests) > GENERATED_STEPS_MOST {
                not_asked += tests.len();
            } else if self.matrix || !decided {
                said.extend(self.ask(&tests, number)?);
            }
        }
        let repeat = |test: usize| self.ask(&[test], number);
        self.found(mutant, said, reaching.len(), not_asked, repeat)
    }

    /// What follows from what tests said.
    fn found(
        &self,
        mutant: &Mutant,
        said: BTreeMap<usize, Said>,
        reached_by: usize,
        not_asked: usize,
        repeat: impl Fn(usize) -> io::Result<BTreeMap<usize, Said>>,
    ) -> Result<Finding, BaselineError> {
        let mut killers = Self::that(&said, Said::Failed);
        killers.retain(|&test| self.cites_one_of(test, &mutant.clauses));
        if let Some(&first) = killers.first() {
            // A kill that does not happen again says more about the test than about the mutant.
            let repeats = repeat(first)?.values().all(|&it| it == Said::Failed);
            let by = self.names(&killers);
            let outcome = if repeats { Outcome::Killed { by } } else { Outcome::Flaky { by } };
            return Ok(Finding { outcome, said });
        }
        let outcome = [Said::TimedOut, Said::Crashed, Said::Failed].into_iter().find_map(|word| {
            let by = self.names(&Self::that(&said, word));
            let outcome = match word {
                Said::TimedOut => Outcome::TimedOut { by },
                Said::Crashed => Outcome::Crashed { by },
                Said::Failed | Said::Passed => Outcome::Collateral { by },
            };
            (!outcome.tests().is_empty()).then_some(outcome)
        });
        let survived = || match mutant.equivalent() {
            Some(equivalent) => Outcome::Equivalent(equivalent.clone()),
            None => Outcome::Survived { reached_by, not_asked },
        };
        Ok(Finding { outcome: outcome.unwrap_or_else(survived), said })
    }

    /// The index of the test of another build that is the same as this one.
    pub fn known(&self, suite: &Suite, test: &Test) -> usize {
        let program = suite.program(test);
        let same = |it: &Test| {
            let other = self.suite.program(it);
            it.path == test.path
                && (&other.folder, &other.target) == (&program.folder, &program.target)
        };
        self.suite.tests.iter().position(same).unwrap_or(usize::MAX)
    }

    fn cites_one_of(&self, test: usize, clauses: &[String]) -> bool {
        clauses.iter().any(|clause| self.cites[test].contains(clause))
    }

    fn steps(&self, tests: &[usize]) -> u64 {
        let steps = tests.iter().filter_map(|&test| self.baseline.steps.get(test));
        steps.fold(0, |sum, &steps| sum.saturating_add(steps))
    }

    /// The tests, the quickest first, short ones together: a process costs more than they do.
    fn batches(&self, tests: &[usize]) -> Vec<Vec<usize>> {
        let mut sorted = tests.to_vec();
        sorted.sort_by_key(|&test| (self.steps(&[test]), test));
        let mut batches: Vec<Vec<usize>> = Vec::new();
        for test in sorted {
            let fits = |batch: &&mut Vec<usize>| {
                self.matrix || self.steps(batch).saturating_add(self.steps(&[test])) <= BATCH_STEPS
            };
            match batches.last_mut().filter(fits) {
                Some(batch) => batch.push(test),
                None => batches.push(vec![test]),
            }
        }
        batches
    }

    fn ask(&self, tests: &[usize], number: u32) -> io::Result<BTreeMap<usize, Said>> {
        let steps = self.baseline.allowed(tests);
        self.suite.run(tests, Setting::Mutant { number, steps })
    }

    fn that(said: &BTreeMap<usize, Said>, word: Said) -> Vec<usize> {
        said.iter().filter(|(_, it)| **it == word).map(|(&test, _)| test).collect()
    }

    fn names(&self, tests: &[usize]) -> Vec<String> {
        let mut names: Vec<String> =
            tests.iter().map(|&test| self.suite.tests[test].function().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    }
}
