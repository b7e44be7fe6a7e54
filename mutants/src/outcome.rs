//! What a trial can say of a mutant; only [`Outcome::Killed`] counts for its clause.
use std::fmt;

use crate::catalogue::Equivalent;

/// The verdict on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A test that cites the clause failed.
    Killed {
        /// Those of the citing tests that failed, sorted.
        by: Vec<String>,
    },
    /// Tests failed, but none that cites the clause.
    Collateral {
        /// Every test that failed, sorted.
        by: Vec<String>,
    },
    /// Every test passed: either a test is missing or the mutant changes nothing.
    Survived {
        /// How many tests reach the changed place.
        reached_by: usize,
        /// How many of them were too long to be asked about a generated mutant.
        not_asked: usize,
    },
    /// The anchor was not found exactly once, so nothing was changed.
    NotApplied {
        /// How often it was found.
        matches: usize,
    },
    /// The changed crate does not compile. Never a kill: nobody ran anything.
    Unviable {
        /// The compiler's first error.
        error: String,
    },
    /// A test's process ended without saying whether the test passed, as after an abort.
    Crashed {
        /// The tests whose process it was, sorted.
        by: Vec<String>,
    },
    /// A test used up its steps.
    TimedOut {
        /// The tests, sorted.
        by: Vec<String>,
    },
    /// Every test passed, and the entry says why none can fail.
    Equivalent(Equivalent),
    /// A test that cites the clause failed once and passed the next time.
    Flaky {
        /// The tests, sorted.
        by: Vec<String>,
    },
}

/// The kinds of [`Outcome`], in the order of the report's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// See [`Outcome::Killed`].
    Killed,
    /// See [`Outcome::Collateral`].
    Collateral,
    /// See [`Outcome::Survived`].
    Survived,
    /// See [`Outcome::NotApplied`].
    NotApplied,
    /// See [`Outcome::Unviable`].
    Unviable,
    /// See [`Outcome::Crashed`].
    Crashed,
    /// See [`Outcome::TimedOut`].
    TimedOut,
    /// See [`Outcome::Equivalent`].
    Equivalent,
    /// See [`Outcome::Flaky`].
    Flaky,
}

impl Kind {
    /// Every kind, best first.
    pub const ALL: [Self; 9] = [
        Self::Killed,
        Self::Collateral,
        Self::Survived,
        Self::NotApplied,
        Self::Unviable,
        Self::Crashed,
        Self::TimedOut,
        Self::Equivalent,
        Self::Flaky,
    ];

    /// The words used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Collateral => "collateral",
            Self::Survived => "survived",
            Self::NotApplied => "not applied",
            Self::Unviable => "unviable",
            Self::Crashed => "crashed",
            Self::TimedOut => "timed out",
            Self::Equivalent => "equivalent",
            Self::Flaky => "flaky",
        }
    }

    /// Whether nothing is left to do about a mutant with this outcome.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Killed | Self::Equivalent)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl Outcome {
    /// Which kind it is.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Killed { .. } => Kind::Killed,
            Self::Collateral { .. } => Kind::Collateral,
            Self::Survived { .. } => Kind::Survived,
            Self::NotApplied { .. } => Kind::NotApplied,
            Self::Unviable { .. } => Kind::Unviable,
            Self::Crashed { .. } => Kind::Crashed,
            Self::TimedOut { .. } => Kind::TimedOut,
            Self::Equivalent(_) => Kind::Equivalent,
            Self::Flaky { .. } => Kind::Flaky,
        }
    }

    /// The tests that decided it.
    pub fn tests(&self) -> &[String] {
        match self {
            Self::Killed { by }
            | Self::Collateral { by }
            | Self::Crashed { by }
            | Self::TimedOut { by }
            | Self::Flaky { by } => by,
            Self::Survived { .. }
            | Self::NotApplied { .. }
            | Self::Unviable { .. }
            | Self::Equivalent(_) => &[],
        }
    }

    /// What else there is to say: the tests, the compiler's error, the number of matches.
    pub fn detail(&self) -> String {
        match self {
            Self::NotApplied { matches } => format!("the anchor matches {matches} times"),
            Self::Unviable { error } => error.clone(),
            Self::Survived { reached_by: 0, .. } => "no test reaches the changed place".to_owned(),
            Self::Survived { reached_by, not_asked: 0 } => format!("reached by {reached_by}"),
            Self::Survived { reached_by, not_asked } => {
                format!(
                    "reached by {reached_by}, of which {not_asked} take too many steps to be asked"
                )
            }
            Self::Equivalent(it) => format!("{} on {}: {}", it.word(), it.date(), it.reason()),
            Self::Killed { .. }
            | Self::Collateral { .. }
            | Self::Crashed { .. }
            | Self::TimedOut { .. }
            | Self::Flaky { .. } => self.tests().join(", "),
        }
    }
}
