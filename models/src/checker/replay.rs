//! A counterexample from a file: its words are followed through the model once more, and the rules
//! are judged anew.
//!
//! Why words and not a scenario: a scenario gives the simulator's world its times and its traffic,
//! while a path of the checker is the order in which single accesses and small steps of the firmware
//! fall between each other. No scenario can ask for that order, so it has a file of its own.
use std::fmt;

use super::monitor::Watches;
use super::path::canonical;
use super::{Model, Path, Step};
use crate::clause::Clause;
use crate::property::PropertyError;

/// What following the words came to.
pub struct Replayed<M: Model> {
    /// The way.
    pub path: Path<M>,
    /// The properties that were broken on it, with their clauses, in their order.
    pub broken: Vec<(&'static str, Clause)>,
}

/// Why words could not be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// A word is none of those that the state allows.
    NoSuchStep {
        /// Which step, counted from 1.
        at: usize,
        /// The word.
        word: String,
        /// The words that the state allows.
        allowed: Vec<String>,
    },
    /// The model has no beginning.
    NoBeginning,
    /// The model's properties cannot be judged together.
    Properties(PropertyError),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchStep { at, word, allowed } => {
                write!(out, "step {at} is `{word}`, but there only ")?;
                match allowed.as_slice() {
                    [] => out.write_str("the end is left"),
                    allowed => write!(out, "{} can happen", allowed.join(", ")),
                }
            }
            Self::NoBeginning => out.write_str("the model has no beginning"),
            Self::Properties(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for ReplayError {}

/// The words of a path: what [`replay`] follows.
pub fn words<M: Model>(model: &M, path: &Path<M>) -> Vec<String> {
    path.steps.iter().map(|step| model.word(&step.action)).collect()
}

/// Follows `words` from the model's first beginning.
///
/// # Errors
/// The first word that cannot be followed.
pub fn replay<M: Model>(model: &M, words: &[String]) -> Result<Replayed<M>, ReplayError> {
    let properties = model.properties();
    let watches = Watches::try_new(&properties, model.tick()).map_err(ReplayError::Properties)?;
    let initial = model.initial().into_iter().next().ok_or(ReplayError::NoBeginning)?;
    let initial = canonical(model, initial);
    let (mut memory, effect) = watches.step(0, 0, &model.observe(None, &initial));
    let mut broken = effect.broken;
    let mut path: Path<M> = Path { initial, steps: Vec::new(), loop_from: None };
    for (index, word) in words.iter().enumerate() {
        let from = path.steps.last().map_or(&path.initial, |step| &step.state);
        let (mut found, mut allowed) = (None, Vec::new());
        model.successors(from, &mut |action, state| {
            let said = model.word(&action);
            if said == *word && found.is_none() {
                found = Some((action, state));
            }
            allowed.push(said);
        });
        let Some((action, state)) = found else {
            return Err(ReplayError::NoSuchStep { at: index + 1, word: word.clone(), allowed });
        };
        let state = canonical(model, state);
        let seen = model.observe(Some((from, &action)), &state);
        let (next, effect) = watches.step(memory, model.ticks(&action), &seen);
        memory = next;
        broken |= effect.broken;
        path.steps.push(Step { action, state });
    }
    let names = properties.iter().enumerate().filter(|(at, _)| broken & 1 << at != 0);
    let broken = names.map(|(_, property)| (property.name, property.clause)).collect();
    Ok(Replayed { path, broken })
}
