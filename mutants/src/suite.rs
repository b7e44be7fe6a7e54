//! The tests of the copy: which there are, and what one or several of them say.
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::cargo::Program;
use crate::process::{self, Ended};
use crate::switch::OUT_OF_STEPS;

/// A test, by its program and its name there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    /// The index of its program.
    pub program: usize,
    /// Its path within the program, such as `wg_mgr::disco::tests::it_opens`.
    pub path: String,
}

impl Test {
    /// The name of its function.
    pub fn function(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }
}

/// What one test said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Said {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It used up the steps, or the last resort of real time.
    TimedOut,
    /// Its process ended before it said anything.
    Crashed,
}

/// What is switched on while tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting<'a> {
    /// A mutant, for so many steps.
    Mutant {
        /// Its number on the switch; 0 is none.
        number: u32,
        /// After these the process ends.
        steps: u64,
    },
    /// None; places and steps go to a file.
    Record {
        /// The file; it grows.
        file: &'a Path,
        /// About after these the process ends.
        steps: u64,
    },
}

/// The test programs of a copy.
#[derive(Clone, Debug)]
pub struct Suite {
    programs: Vec<Program>,
    copy: PathBuf,
    /// Every test, sorted.
    pub tests: Vec<Test>,
}

/// The longest that one process may take: only what neither ends nor counts steps comes so far.
const LONGEST: Duration = Duration::from_mins(2);

impl Suite {
    /// Asks the programs for their tests. Ignored ones are left out, as they are without flags.
    ///
    /// # Errors
    /// When a program cannot be started.
    pub fn list(programs: Vec<Program>, copy: &Path) -> io::Result<Self> {
        let mut suite = Self { programs, copy: copy.to_owned(), tests: vec![] };
        let mut tests = Vec::new();
        for program in 0..suite.programs.len() {
            let listed = |flags: &[&str]| -> io::Result<Vec<String>> {
                let mut command = suite.command(program);
                command.args(["--list", "--format", "terse"]).args(flags);
                let ended = process::run(&mut command, LONGEST)?;
                let Ended::Exited { output, .. } = ended else {
                    return Ok(Vec::new());
                };
                let names = output.lines().filter_map(|line| line.strip_suffix(": test"));
                Ok(names.map(str::to_owned).collect())
            };
            let ignored = listed(&["--ignored"])?;
            let paths = listed(&[])?.into_iter().filter(|path| !ignored.contains(path));
            tests.extend(paths.map(|path| Test { program, path }));
        }
        tests.sort();
        suite.tests = tests;
        Ok(suite)
    }

    /// The indices of the tests, program by program.
    pub fn by_program(&self) -> Vec<Vec<usize>> {
        let mut programs = vec![Vec::new(); self.programs.len()];
        for (index, test) in self.tests.iter().enumerate() {
            programs[test.program].push(index);
        }
        programs.retain(|tests| !tests.is_empty());
        programs
    }

    /// The program of a test.
    pub fn program(&self, test: &Test) -> &Program {
        &self.programs[test.program]
    }

    /// Runs some tests of the list, by their indices; those of one program in one process. When a
    /// process ends without saying what each test did, they run once more, one by one.
    ///
    /// # Errors
    /// When a program cannot be started.
    pub fn run(&self, tests: &[usize], setting: Setting<'_>) -> io::Result<BTreeMap<usize, Said>> {
        let mut said = BTreeMap::new();
        let mut programs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &test in tests {
            programs.entry(self.tests[test].program).or_default().push(test);
        }
        for group in programs.values() {
            match (self.run_together(group, setting)?, group.as_slice()) {
                (Some(all), _) => said.extend(all),
                (None, &[test]) => {
                    said.insert(test, self.run_alone(test, setting)?);
                }
                (None, tests) => {
                    for &test in tests {
                        said.insert(test, self.run_alone(test, setting)?);
                    }
                }
            }
        }
        Ok(said)
    }

    /// What each test said, if the process came to a regular end.
    fn run_together(
        &self,
        tests: &[usize],
        setting: Setting<'_>,
    ) -> io::Result<Option<BTreeMap<usize, Said>>> {
        let ended = process::run(&mut self.test_command(tests, setting), LONGEST)?;
        let Ended::Exited { code: Some(0 | 101), output, .. } = ended else {
            return Ok(None);
        };
        let results = results(&output);
        let said: BTreeMap<usize, Said> = tests
            .iter()
            .filter_map(|&test| Some((test, *results.get(self.tests[test].path.as_str())?)))
            .collect();
        Ok((said.len() == tests.len()).then_some(said))
    }

    fn run_alone(&self, test: usize, setting: Setting<'_>) -> io::Result<Said> {
        let ended = process::run(&mut self.test_command(&[test], setting), LONGEST)?;
        Ok(match ended {
            Ended::TimedOut | Ended::Exited { code: Some(OUT_OF_STEPS), .. } => Said::TimedOut,
            Ended::Exited { code: Some(0 | 101), output, .. } => {
                let path = self.tests[test].path.as_str();
                results(&output).get(path).copied().unwrap_or(Said::Crashed)
            }
            Ended::Exited { .. } => Said::Crashed,
        })
    }

    fn test_command(&self, tests: &[usize], setting: Setting<'_>) -> Command {
        let mut command = self.command(tests.first().map_or(0, |&test| self.tests[test].program));
        command.args(["--exact", "--test-threads=1"]);
        command.args(tests.iter().map(|&test| &self.tests[test].path));
        match setting {
            Setting::Mutant { number, .. } => command.env("WOVEN_MUTANT", number.to_string()),
            Setting::Record { file, .. } => command.env("WOVEN_RECORD", file),
        };
        let (Setting::Mutant { steps, .. } | Setting::Record { steps, .. }) = setting;
        command.env("WOVEN_STEPS", steps.to_string());
        command
    }

    fn command(&self, program: usize) -> Command {
        let Program { path, folder, .. } = &self.programs[program];
        let mut command = Command::new(path);
        command.current_dir(self.copy.join(folder));
        // Snapshots are compared, never written; properties draw the same values each time.
        command.env("INSTA_UPDATE", "no").env("INSTA_WORKSPACE_ROOT", &self.copy);
        command.env("PROPTEST_RNG_SEED", "1").env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
        // Whether something fails is asked, not for the smallest input that makes it.
        command.env("PROPTEST_MAX_SHRINK_ITERS", "0");
        // A version of a body for each mutant makes large frames.
        command.env("RUST_BACKTRACE", "0").env("RUST_MIN_STACK", (256 << 20).to_string());
        command.env_remove("WOVEN_MUTANT").env_remove("WOVEN_STEPS").env_remove("WOVEN_RECORD");
        command
    }
}

/// What a test program says of its tests.
fn results(output: &str) -> BTreeMap<&str, Said> {
    output
        .lines()
        .filter_map(|line| {
            let (name, said) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
            let name = name.strip_suffix(" - should panic").unwrap_or(name);
            let said = match said {
                "ok" => Said::Passed,
                "FAILED" => Said::Failed,
                _ => return None,
            };
            Some((name, said))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_of_each_test_whether_it_passed() {
        let output = "test a::first ... FAILED\ntest second ... ok\n\
            test third - should panic ... FAILED\ntest result: FAILED. 1 passed\n";
        let right = [("a::first", Said::Failed), ("second", Said::Passed), ("third", Said::Failed)];
        assert_eq!(results(output), BTreeMap::from(right));
        let test = Test { program: 0, path: "a::first".to_owned() };
        assert_eq!(test.function(), "first");
    }
}
