//! What a trial can say of a mutant; only [`Outcome::Killed`] counts for its clause.
use std::fmt;

/// The verdict on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Tests that the entry names failed.
    Killed {
        /// Those of the named tests that failed, sorted.
        by: Vec<String>,
    },
    /// None of the named tests failed, but others did.
    KilledByOthers {
        /// Every test that failed, sorted.
        by: Vec<String>,
    },
    /// Every test passed: either a test is missing or the mutant changes nothing.
    Survived,
    /// The anchor was not found exactly once, so nothing was changed.
    NotApplied {
        /// How often it was found.
        matches: usize,
    },
    /// The changed crate does not compile.
    Unviable {
        /// The compiler's first error.
        error: String,
    },
    /// A test program did not end within the limit.
    TimedOut,
    /// A test program ended without saying which test failed, as after an abort.
    Crashed,
}

/// The kinds of [`Outcome`], in the order of the report's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// See [`Outcome::Killed`].
    Killed,
    /// See [`Outcome::KilledByOthers`].
    KilledByOthers,
    /// See [`Outcome::Survived`].
    Survived,
    /// See [`Outcome::NotApplied`].
    NotApplied,
    /// See [`Outcome::Unviable`].
    Unviable,
    /// See [`Outcome::TimedOut`].
    TimedOut,
    /// See [`Outcome::Crashed`].
    Crashed,
}

impl Kind {
    /// Every kind, best first.
    pub const ALL: [Self; 7] = [
        Self::Killed,
        Self::KilledByOthers,
        Self::Survived,
        Self::NotApplied,
        Self::Unviable,
        Self::TimedOut,
        Self::Crashed,
    ];

    /// The words used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::KilledByOthers => "killed by others",
            Self::Survived => "survived",
            Self::NotApplied => "not applied",
            Self::Unviable => "unviable",
            Self::TimedOut => "timed out",
            Self::Crashed => "crashed",
        }
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
            Self::KilledByOthers { .. } => Kind::KilledByOthers,
            Self::Survived => Kind::Survived,
            Self::NotApplied { .. } => Kind::NotApplied,
            Self::Unviable { .. } => Kind::Unviable,
            Self::TimedOut => Kind::TimedOut,
            Self::Crashed => Kind::Crashed,
        }
    }

    /// What else there is to say: the failed tests, the compiler's error, the number of matches.
    pub fn detail(&self) -> String {
        match self {
            Self::Killed { by } | Self::KilledByOthers { by } => by.join(", "),
            Self::NotApplied { matches } => format!("the anchor matches {matches} times"),
            Self::Unviable { error } => error.clone(),
            Self::Survived | Self::TimedOut | Self::Crashed => String::new(),
        }
    }
}
