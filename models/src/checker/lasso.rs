//! A counterexample that never ends, from a file: a way to a loop, and the loop. Both are followed
//! once more, and the loop must close: afterwards everything is as before, what the rules remember
//! included, so that the run may go round for ever.
//!
//! ```text
//!   begin ──words──► before ──words of the loop──► after       before = after, state and memory;
//!                      ▲                             │         a rule that waits at every state of
//!                      └─────────────────────────────┘         the loop waits for ever
//! ```
//!
//! A loop without a step is a run's end: nothing can happen there, so a goal that must come some day
//! does not come.
use std::fmt;

use super::codec::Codec;
use super::monitor::Watches;
use super::path::{Difference, differences};
use super::replay::{ReplayError, Replayed, replay, words};
use super::{Model, Path};

/// The words of a path that ends in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The way to the loop.
    pub way: Vec<String>,
    /// Once around it; empty where the run ends.
    pub again: Vec<String>,
}

impl Lasso {
    /// The words of a path, split where its loop begins; `None` of a path without one.
    pub fn of<M: Model>(model: &M, path: &Path<M>) -> Option<Self> {
        let mut way = words(model, path);
        let again = way.split_off(path.loop_from?.min(way.len()));
        Some(Self { way, again })
    }
}

/// Why words are no lasso.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LassoError {
    /// A word cannot be followed; steps are counted through the way and the loop.
    Replay(ReplayError),
    /// The loop leads elsewhere.
    Open {
        /// What is different afterwards.
        changed: Vec<Difference>,
    },
    /// The state is as before the loop, but what the rules remember is not.
    Remembered,
    /// There is no loop, and the run does not end there either.
    GoesOn {
        /// The words that are allowed.
        allowed: Vec<String>,
    },
}

impl fmt::Display for LassoError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replay(error) => error.fmt(out),
            Self::Open { changed } => {
                let changed: Vec<String> = changed.iter().map(Difference::to_string).collect();
                out.write_str("the loop does not close: once around, ")?;
                match changed.as_slice() {
                    [] => out.write_str("a part of the state that is not shown has changed"),
                    changed => out.write_str(&changed.join(", ")),
                }
            }
            Self::Remembered => out.write_str(
                "the loop does not close: the state is as before, but what the rules have seen is \
                 not; put the first round into the way",
            ),
            Self::GoesOn { allowed } => {
                write!(out, "the run does not end there: {} can happen", allowed.join(", "))
            }
        }
    }
}

impl std::error::Error for LassoError {}

/// Follows a lasso from the model's first beginning. Broken are the rules that its steps break, and
/// those that wait at every state of the loop; without a loop, those that wait where it ends and
/// whose goal must come some day.
///
/// # Errors
/// The first word that cannot be followed, or why the loop is none.
pub fn replay_lasso<M: Model>(model: &M, lasso: &Lasso) -> Result<Replayed<M>, LassoError> {
    let Lasso { way, again } = lasso;
    let steps = [way.as_slice(), again].concat();
    let Replayed { mut path, broken } = replay(model, &steps).map_err(LassoError::Replay)?;
    let properties = model.properties();
    let watches = Watches::try_new(&properties, model.tick())
        .map_err(|error| LassoError::Replay(ReplayError::Properties(error)))?;
    let memories = memories(model, &watches, &path);
    if again.is_empty() {
        ends(model, &path)?;
    } else {
        closes(model, &path, way.len())?;
        if memories.last() != memories.get(way.len()) {
            return Err(LassoError::Remembered);
        }
    }
    let waits = |index: usize| {
        let round = memories.iter().skip(way.len());
        round.into_iter().all(|&memory| watches.waits(index, memory))
            && (!again.is_empty() || watches.is_eventually(index))
    };
    let is_broken = |index: usize| broken.iter().any(|(name, _)| *name == properties[index].name);
    let broken = (0..properties.len()).filter(|&index| is_broken(index) || waits(index));
    let broken = broken.map(|index| (properties[index].name, properties[index].clause)).collect();
    path.loop_from = Some(way.len());
    Ok(Replayed { path, broken })
}

/// What the rules remember at each state of a path.
fn memories<M: Model>(model: &M, watches: &Watches<'_, M::Seen>, path: &Path<M>) -> Vec<u32> {
    let (first, _) = watches.step(0, 0, &model.observe(None, &path.initial));
    let mut memories = vec![first];
    let mut memory = first;
    for (before, step) in path.states().zip(&path.steps) {
        let seen = model.observe(Some((before, &step.action)), &step.state);
        memory = watches.step(memory, model.ticks(&step.action), &seen).0;
        memories.push(memory);
    }
    memories
}

/// Whether the path ends in the very state that it had after `from` steps.
fn closes<M: Model>(model: &M, path: &Path<M>, from: usize) -> Result<(), LassoError> {
    let (Some(before), Some(after)) = (path.states().nth(from), path.states().last()) else {
        return Err(LassoError::Open { changed: Vec::new() });
    };
    let mut codec = model.codec();
    let code = codec.code(before);
    codec.keep(before);
    if codec.find(after) == Some(code) {
        return Ok(());
    }
    let changed = differences(&model.describe(before), &model.describe(after));
    Err(LassoError::Open { changed })
}

/// Whether nothing can happen at the end of the path.
fn ends<M: Model>(model: &M, path: &Path<M>) -> Result<(), LassoError> {
    let last = path.states().last().unwrap_or(&path.initial);
    let mut allowed = Vec::new();
    model.successors(last, &mut |action, _| allowed.push(model.word(&action)));
    if allowed.is_empty() { Ok(()) } else { Err(LassoError::GoesOn { allowed }) }
}
