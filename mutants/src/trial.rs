//! The workshop: a copy of the workspace in which one fault after another is tried.
//!
//! ```text
//!   open ─► copy ─► build and test, timed ─► try_mutant ─► try_mutant … ─► close
//!                        └ not green: BaselineError, nothing is judged
//! ```
//!
//! The copy has a path of its own each time, the folder of build results does not: dependencies are
//! built once. What belongs to the copy is removed from that folder by [`Workshop::close`].
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::catalogue::Mutant;
use crate::outcome::Outcome;
use crate::process::{self, Ended};

/// The crate whose tests are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The folder of its workspace; everything in it is copied but version control and builds.
    pub workspace: PathBuf,
    /// The package's name.
    pub package: String,
    /// The package's folder, relative to the workspace.
    pub folder: PathBuf,
    /// Where its source files are, relative to the package's folder.
    pub sources: PathBuf,
    /// Where builds go, for all mutants and all runs.
    pub builds: PathBuf,
    /// What a test program may take beyond five times the baseline's time, for a machine that is
    /// busy with other work.
    pub margin: Duration,
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
    #[error("tests of the unchanged crate fail: {}", .0.join(", "))]
    Tests(Vec<String>),
    /// The unchanged crate's tests crash, or take longer than an hour.
    #[error("the tests of the unchanged crate do not come to an end")]
    Endless,
}

/// How long a build and one run of the test programs may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For a build.
    pub build: Duration,
    /// For each test program.
    pub test: Duration,
}

impl Limits {
    /// For the baseline itself, of which nothing is known.
    const FIRST: Self = Self { build: Duration::from_hours(1), test: Duration::from_hours(1) };

    /// Five times what the baseline took, and a margin: a minute for a build, `margin` for a test
    /// program.
    pub fn from_baseline(build: Duration, test: Duration, margin: Duration) -> Self {
        Self { build: build * 5 + Duration::from_mins(1), test: test * 5 + margin }
    }
}

/// How the test programs ended.
enum Tested {
    /// All came to an end; these tests failed.
    Failed(BTreeSet<String>),
    TimedOut,
    Crashed,
}

/// How a build ended.
enum Built {
    Programs(Vec<PathBuf>),
    Broken(String),
}

/// A copy whose unchanged tests pass.
#[derive(Debug)]
pub struct Workshop {
    copy: TempDir,
    subject: Subject,
    limits: Limits,
}

impl Workshop {
    /// Copies the workspace and tries the unchanged crate.
    ///
    /// # Errors
    /// [`BaselineError`], after which nothing may be judged.
    pub fn open(subject: Subject) -> Result<Self, BaselineError> {
        let copy = tempfile::tempdir()?;
        copy_folder(&subject.workspace, copy.path())?;
        let mut workshop = Self { copy, subject, limits: Limits::FIRST };
        let (first, build) = timed(|| workshop.build());
        let programs = match first? {
            Built::Programs(programs) => programs,
            Built::Broken(error) => return Err(BaselineError::Build(error)),
        };
        let (tested, test) = timed(|| workshop.test(&programs, &[]));
        match tested? {
            Tested::Failed(tests) if tests.is_empty() => {}
            Tested::Failed(tests) => return Err(BaselineError::Tests(tests.into_iter().collect())),
            Tested::TimedOut | Tested::Crashed => return Err(BaselineError::Endless),
        }
        workshop.limits = Limits::from_baseline(build, test, workshop.subject.margin);
        Ok(workshop)
    }

    /// The limits that the baseline led to.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Tries one mutant, and takes it out of the copy again. Says how long it took.
    ///
    /// # Errors
    /// When a file of the copy cannot be read or written, or a program cannot be started.
    pub fn try_mutant(&self, mutant: &Mutant) -> io::Result<(Outcome, Duration)> {
        let (outcome, took) = timed(|| {
            let path = self.package_folder().join(&self.subject.sources).join(&mutant.file);
            let source = fs::read_to_string(&path)?;
            let changed = match mutant.apply(&source) {
                Ok(changed) => changed,
                Err(matches) => return Ok(Outcome::NotApplied { matches }),
            };
            fs::write(&path, changed)?;
            let outcome = self.judge(&mutant.killers);
            fs::write(&path, source)?;
            outcome
        });
        Ok((outcome?, took))
    }

    /// Removes the copy, and what was built of it.
    ///
    /// # Errors
    /// When cargo cannot be started or the copy cannot be removed.
    pub fn close(self) -> io::Result<()> {
        let mut clean = self.cargo("clean");
        process::run(clean.args(["--package", &self.subject.package]), self.limits.build)?;
        self.copy.close()
    }

    fn judge(&self, killers: &[String]) -> io::Result<Outcome> {
        let programs = match self.build()? {
            Built::Programs(programs) => programs,
            Built::Broken(error) => return Ok(Outcome::Unviable { error }),
        };
        let named = match self.test(&programs, killers)? {
            Tested::Failed(failed) => failed,
            Tested::TimedOut => return Ok(Outcome::TimedOut),
            Tested::Crashed => return Ok(Outcome::Crashed),
        };
        // The filter is on parts of names, so others may have run as well.
        let by: Vec<_> = named.into_iter().filter(|test| killers.contains(test)).collect();
        if !by.is_empty() {
            return Ok(Outcome::Killed { by });
        }
        Ok(match self.test(&programs, &[])? {
            Tested::Failed(failed) if failed.is_empty() => Outcome::Survived,
            Tested::Failed(failed) => Outcome::KilledByOthers { by: failed.into_iter().collect() },
            Tested::TimedOut => Outcome::TimedOut,
            Tested::Crashed => Outcome::Crashed,
        })
    }

    fn build(&self) -> io::Result<Built> {
        let mut command = self.cargo("test");
        command.args(["--package", &self.subject.package, "--lib", "--tests", "--no-run"]);
        command.arg("--message-format=json");
        Ok(match process::run(&mut command, self.limits.build)? {
            Ended::Exited { success: true, output } => {
                Built::Programs(process::test_programs(&output))
            }
            Ended::Exited { success: false, output } => {
                let error = process::first_error(&output);
                Built::Broken(error.unwrap_or_else(|| "cargo reports no compiler error".to_owned()))
            }
            Ended::TimedOut => Built::Broken("the compiler does not come to an end".to_owned()),
        })
    }

    /// Runs the tests whose names contain one of `filters`; all, when there is none.
    fn test(&self, programs: &[PathBuf], filters: &[String]) -> io::Result<Tested> {
        let mut failed = BTreeSet::new();
        for program in programs {
            let mut command = Command::new(program);
            command.args(filters).current_dir(self.package_folder());
            // Snapshots are compared, never written; properties draw the same values each time.
            command.env("INSTA_UPDATE", "no").env("INSTA_WORKSPACE_ROOT", self.copy.path());
            command.env("PROPTEST_RNG_SEED", "1");
            command.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
            match process::run(&mut command, self.limits.test)? {
                Ended::TimedOut => return Ok(Tested::TimedOut),
                Ended::Exited { success: true, .. } => {}
                Ended::Exited { success: false, output } => {
                    let named = process::failed_tests(&output);
                    if named.is_empty() {
                        return Ok(Tested::Crashed);
                    }
                    failed.extend(named);
                }
            }
        }
        Ok(Tested::Failed(failed))
    }

    fn package_folder(&self) -> PathBuf {
        self.copy.path().join(&self.subject.folder)
    }

    fn cargo(&self, verb: &str) -> Command {
        let mut command = Command::new("cargo");
        command.current_dir(self.copy.path());
        command.args([verb, "--offline", "--target-dir"]).arg(&self.subject.builds);
        // Each mutant is built once and runs a few tests: what builds quickly beats what runs
        // quickly. The dependencies, built once for all, stay as their workspace wants them.
        let profile = format!("profile.dev.package.{}.opt-level=0", self.subject.package);
        command.args(["--config", &profile]).env("CARGO_PROFILE_DEV_DEBUG", "0");
        // A mutant that leaves something unused is to be judged by tests, not by lints.
        command.env("RUSTFLAGS", "--cap-lints allow");
        command
    }
}

#[expect(clippy::disallowed_methods, reason = "limits and reports are about real time")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let result = work();
    (result, began.elapsed())
}

/// Copies a folder's files, without version control and build results.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if [".git", "target"].map(OsStr::new).contains(&name.as_os_str()) {
            continue;
        }
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&target)?;
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_five_times_the_baseline_and_a_margin() {
        let [build, test, margin] = [20, 3, 10].map(Duration::from_secs);
        let limits = Limits::from_baseline(build, test, margin);
        assert_eq!(limits.build, Duration::from_secs(160));
        assert_eq!(limits.test, Duration::from_secs(25));
    }

    #[test]
    fn a_copy_leaves_version_control_and_builds_behind() {
        let from = tempfile::tempdir().expect("a folder");
        let to = tempfile::tempdir().expect("a folder");
        for name in ["src/a.rs", "target/x", ".git/y", ".cargo/config.toml"] {
            let path = from.path().join(name);
            fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
            fs::write(path, name).expect("writable");
        }
        copy_folder(from.path(), to.path()).expect("readable and writable");
        let copied = |name: &str| fs::read_to_string(to.path().join(name)).ok();
        assert_eq!(copied("src/a.rs").as_deref(), Some("src/a.rs"));
        assert_eq!(copied(".cargo/config.toml").as_deref(), Some(".cargo/config.toml"));
        assert_eq!((copied("target/x"), copied(".git/y")), (None, None));
    }
}
