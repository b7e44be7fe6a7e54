//! What a search says: a verdict for each property, and how much was looked at.
use core::fmt;

use super::Model;
use super::path::Path;
use crate::clause::Clause;

/// What a search says about a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<P> {
    /// It had its occasion, every reachable state was visited, and it was never broken. Of a
    /// `Sometimes`: it was seen.
    Holds,
    /// It was broken, and this is a shortest way to it.
    Violated(P),
    /// It never had its occasion although every reachable state was visited.
    Unreached,
    /// The search ended before it could tell.
    Inconclusive,
}

impl<P> Verdict<P> {
    /// The verdict's name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated(_) => "violated",
            Self::Unreached => "unreached",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// Why a search ended before every reachable state was visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// As many states as were allowed.
    States(u32),
    /// As many transitions from the beginning as were allowed.
    Depth(u32),
    /// A violation was found, and that was all that was asked for.
    AtViolation,
    /// Nothing was left to visit, but states were told apart by digests only.
    Lossy,
}

impl fmt::Display for Stopped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States(most) => write!(out, "the limit of {most} states was hit"),
            Self::Depth(most) => write!(out, "the limit of {most} transitions was hit"),
            Self::AtViolation => out.write_str("stopped at the first violation"),
            Self::Lossy => out.write_str("states were told apart by digests of 64 bits only"),
        }
    }
}

/// A property and its verdict.
pub struct Found<M: Model> {
    /// The property's name, a sentence.
    pub name: &'static str,
    /// The clause that demands it.
    pub clause: Clause,
    /// What was found.
    pub verdict: Verdict<Path<M>>,
}

/// The result of a search.
pub struct Report<M: Model> {
    /// One verdict for each property, in their order.
    pub found: Vec<Found<M>>,
    /// Distinct states, what the rules remember included.
    pub states: u32,
    /// Transitions, those to states already known included.
    pub transitions: u64,
    /// States without a successor.
    pub ends: u32,
    /// Transitions from the beginning to the last state found.
    pub depth: u32,
    /// Bytes kept for all states, at the end.
    pub bytes: usize,
    /// Why it ended early; `None` when every reachable state was visited and compared in full.
    pub stopped: Option<Stopped>,
}

impl<M: Model> Report<M> {
    /// The first property that was broken, and the way to it.
    pub fn violated(&self) -> Option<(&Found<M>, &Path<M>)> {
        self.found.iter().find_map(|found| match &found.verdict {
            Verdict::Violated(path) => Some((found, path)),
            Verdict::Holds | Verdict::Unreached | Verdict::Inconclusive => None,
        })
    }

    /// The verdict on the property of this name.
    pub fn verdict(&self, name: &str) -> Option<&Verdict<Path<M>>> {
        self.found.iter().find(|found| found.name == name).map(|found| &found.verdict)
    }

    /// Whether every property holds.
    pub fn holds(&self) -> bool {
        self.found.iter().all(|found| matches!(found.verdict, Verdict::Holds))
    }

    /// Whether some property was neither proved nor broken because the search ended early.
    pub fn is_inconclusive(&self) -> bool {
        self.found.iter().any(|found| matches!(found.verdict, Verdict::Inconclusive))
    }
}
