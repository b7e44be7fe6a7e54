//! Tests that take many steps. Whether they pass unchanged, and what they reach, is looked at only
//! when a mutant gets past all others.
//!
//! ```text
//!   baseline ── out of steps ──► long ── a mutant that nobody noticed? ──► alone, twice, unlimited
//!                                 │ no                                       │ places, steps
//!                                 ▼                                          ▼
//!                             not needed                              asked, if it gets there
//! ```
//!
//! An exploration of a million states notices much, but what it notices a short test that cites the
//! clause should have noticed before; and its baseline alone would take longer than all trials.
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::baseline::{BaselineError, allowed, read};
use crate::suite::{Said, Setting, Suite};

/// A baseline ends a test here, and it counts as long: about a second of a core's calls and loops.
pub const LONG_FROM: u64 = 1 << 26;

/// What is known of the long tests so far.
#[derive(Debug)]
pub struct LongTests<'a> {
    suite: &'a Suite,
    /// Where records go.
    notes: PathBuf,
    tests: BTreeSet<usize>,
    known: Mutex<BTreeMap<usize, Known>>,
}

/// A long test that was looked at.
#[derive(Clone, Debug)]
struct Known {
    reached: BTreeSet<u32>,
    steps: u64,
}

impl<'a> LongTests<'a> {
    /// Knows nothing yet of these tests.
    pub fn new(suite: &'a Suite, notes: PathBuf, tests: BTreeSet<usize>) -> Self {
        Self { suite, notes, tests, known: Mutex::default() }
    }

    /// The tests, by their indices.
    pub fn tests(&self) -> Vec<usize> {
        self.tests.iter().copied().collect()
    }

    /// The steps that a trial of this test may take, if it reaches the place.
    ///
    /// # Errors
    /// When it fails unchanged, or cannot be started.
    pub fn steps(&self, test: usize, place: u32) -> Result<Option<u64>, BaselineError> {
        // Whoever comes second waits for what the first finds out.
        let mut known = self.known.lock().expect("no trial panics while it looks");
        let it = match known.entry(test) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.look(test)?),
        };
        Ok(it.reached.contains(&place).then_some(it.steps))
    }

    fn look(&self, test: usize) -> Result<Known, BaselineError> {
        let file = self.notes.join(format!("long-{test}"));
        let record = Setting::Record { file: &file, steps: u64::MAX };
        let first = self.suite.run(&[test], record)?;
        let (reached, steps) = read(&file);
        let steps = allowed(steps);
        let again = self.suite.run(&[test], Setting::Mutant { number: 0, steps })?;
        let path = || vec![self.suite.tests[test].path.clone()];
        let passed = |said: &BTreeMap<usize, Said>| said.get(&test) == Some(&Said::Passed);
        match (passed(&first), passed(&again)) {
            (true, true) => Ok(Known { reached, steps }),
            (false, false) => Err(BaselineError::Tests(path())),
            _ => Err(BaselineError::Flaky(path())),
        }
    }
}
