//! A mutant: which text of which file becomes which other text, and who has to notice.
use std::ops::Range;
use std::path::PathBuf;

use crate::catalogue::Equivalent;
use crate::operators::Operator;

/// A mutant, from the catalogue or generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The name by which it is chosen and reported.
    pub id: String,
    /// The clauses of the changed code: one for an entry of the catalogue, all that the file names
    /// for a generated mutant.
    pub clauses: Vec<String>,
    /// What the changed code does, in one sentence.
    pub what: String,
    /// The source file, relative to the workspace.
    pub file: PathBuf,
    /// The change, or how often the anchor was found instead of once.
    pub change: Result<Change, usize>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bytes to replace.
    pub range: Range<usize>,
    /// The text to put there.
    pub text: String,
    /// How it is woven in.
    pub shape: Shape,
}

/// How a change is put behind the switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A second version of the whole function, or of the constant, around it.
    Whole,
    /// Another value of an expression; the range is the expression's.
    Expression,
    /// A statement that is left out; the range is the statement's.
    Statement,
    /// An arm that never matches: its guard becomes false. The place behind its pattern when it has
    /// no guard, else the guard's range.
    Arm {
        /// The guard, or an empty range behind the pattern.
        guard: Range<usize>,
    },
}

/// Where a mutant comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An entry that somebody wrote.
    Catalogue {
        /// Names of the test functions that have to fail.
        killers: Vec<String>,
        /// Set when no test can fail, with the reason.
        equivalent: Option<Equivalent>,
    },
    /// Made by an operator.
    Generated(Operator),
}

impl Change {
    /// The text with the change in it.
    pub fn apply(&self, text: &str) -> String {
        let Range { start, end } = self.range;
        [&text[..start], &self.text, &text[end..]].concat()
    }
}

impl Mutant {
    /// Whether somebody wrote it.
    pub fn is_written(&self) -> bool {
        matches!(self.origin, Origin::Catalogue { .. })
    }

    /// The tests that its entry names.
    pub fn killers(&self) -> &[String] {
        match &self.origin {
            Origin::Catalogue { killers, .. } => killers,
            Origin::Generated(_) => &[],
        }
    }

    /// Why no test can fail, if its entry says so.
    pub fn equivalent(&self) -> Option<&Equivalent> {
        match &self.origin {
            Origin::Catalogue { equivalent, .. } => equivalent.as_ref(),
            Origin::Generated(_) => None,
        }
    }
}
