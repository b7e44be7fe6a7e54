//! One mutant, judged by the tests that reach it.
//!
//! ```text
//!   tests that reach the place ─┬─ cite the clause ──► failed? ──► again? ──► killed, or flaky
//!                               └─ others ───────────► failed? ─────────────► collateral
//!                                                      none ────────────────► survived
//! ```
//!
//! A test that does not reach the changed place cannot tell the mutant from the original, so it is
//! not run. They are asked by the number of their steps, the quickest first, until one has noticed.
//! With the whole matrix asked for, every test that reaches it is.
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::baseline::Baseline;
use crate::mutant::Mutant;
use crate::outcome::Outcome;
use crate::suite::{Said, Setting, Suite, Test};

/// Tests that take no more steps than this together run in one process.
const BATCH_STEPS: u64 = 1 << 18;
/// A test of more steps than this is not asked about a generated mutant whose clauses it does not
/// cite, except for a matrix; the verdict says so.
const LONG_STEPS: u64 = 1 << 18;

/// What tests are asked, and what is known of them.
#[derive(Debug)]
pub struct Court<'a> {
    /// The tests.
    pub suite: &'a Suite,
    /// What they do with the unchanged code.
    pub baseline: &'a Baseline,
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
    /// Judges a mutant that has this number on the switch; `reaching` are the tests that reach it.
    ///
    /// # Errors
    /// When a program cannot be started.
    pub fn judge(&self, mutant: &Mutant, number: u32, reaching: &[usize]) -> io::Result<Finding> {
        let (citing, others): (Vec<usize>, Vec<usize>) =
            reaching.iter().partition(|&&test| self.cites_one_of(test, &mutant.clauses));
        let (named, citing): (Vec<usize>, Vec<usize>) = citing.into_iter().partition(|&test| {
            mutant.killers().iter().any(|name| name == self.suite.tests[test].function())
        });
        let mut said = BTreeMap::new();
        let batches = self.batches(&named).into_iter().chain(self.batches(&citing));
        for tests in batches {
            said.extend(self.ask(&tests, number)?);
            if !self.matrix && said.values().any(|&it| it != Said::Passed) {
                break;
            }
        }
        let killers = Self::that(&said, Said::Failed);
        let mut not_asked = 0;
        for tests in self.batches(&others) {
            let decided = said.values().any(|&it| it != Said::Passed);
            if !self.matrix && !mutant.is_written() && self.steps(&tests) > LONG_STEPS {
                not_asked += tests.len();
            } else if self.matrix || !decided {
                said.extend(self.ask(&tests, number)?);
            }
        }
        if !killers.is_empty() {
            // A kill that does not happen again says more about the test than about the mutant.
            let again = self.ask(&killers[..1], number)?;
            let repeats = again.values().all(|&it| it == Said::Failed);
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
            None => Outcome::Survived { reached_by: reaching.len(), not_asked },
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
        tests.iter().filter_map(|&test| self.baseline.steps.get(test)).sum()
    }

    /// The tests, the quickest first, short ones together: a process costs more than they do.
    fn batches(&self, tests: &[usize]) -> Vec<Vec<usize>> {
        let mut sorted = tests.to_vec();
        sorted.sort_by_key(|&test| (self.steps(&[test]), test));
        let mut batches: Vec<Vec<usize>> = Vec::new();
        for test in sorted {
            let fits = |batch: &&mut Vec<usize>| {
                self.matrix || self.steps(batch) + self.steps(&[test]) <= BATCH_STEPS
            };
            match batches.last_mut().filter(fits) {
                Some(batch) => batch.push(test),
                None => batches.push(vec![test]),
            }
        }
        batches
    }

    fn ask(&self, tests: &[usize], number: u32) -> io::Result<BTreeMap<usize, Said>> {
        self.suite.run(tests, Setting::Mutant(number, self.baseline.allowed(tests)))
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
