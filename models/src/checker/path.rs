//! A way from a beginning to a violation: actions and states, and what each action changed.
use core::fmt::{self, Write as _};

use super::Model;

/// A transition on a path.
pub struct Step<M: Model> {
    /// What happened.
    pub action: M::Action,
    /// The state it led to.
    pub state: M::State,
}

/// A path, and where its loop begins if it has one.
pub struct Path<M: Model> {
    /// Where it begins.
    pub initial: M::State,
    /// The transitions in their order; the last one shows the violation, or closes the loop.
    pub steps: Vec<Step<M>>,
    /// The number of steps before the loop; the steps behind it lead back to the state there.
    pub loop_from: Option<usize>,
}

/// A part of a state that a step changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part's name.
    pub part: String,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {} -> {}", self.part, self.before, self.after)
    }
}

impl<M: Model> Path<M> {
    /// The states of this path, the first included.
    pub fn states(&self) -> impl Iterator<Item = &M::State> {
        core::iter::once(&self.initial).chain(self.steps.iter().map(|step| &step.state))
    }

    /// What each step changed.
    pub fn differences(&self, model: &M) -> Vec<Vec<Difference>> {
        let described: Vec<_> = self.states().map(|state| model.describe(state)).collect();
        described.windows(2).map(|pair| differences(&pair[0], &pair[1])).collect()
    }

    /// The path as lines: the beginning, then each action with what it changed.
    pub fn render(&self, model: &M) -> String {
        let mut text = String::from("  0  begin\n");
        for (part, value) in model.describe(&self.initial) {
            writeln!(text, "       {part}: {value}").expect("a string takes everything");
        }
        let changes = self.differences(model);
        for (at, (step, changed)) in self.steps.iter().zip(changes).enumerate() {
            if self.loop_from == Some(at) {
                text.push_str("     ┌ from here on, again and again\n");
            }
            writeln!(text, "{:>3}  {}", at + 1, model.say(&step.action))
                .expect("a string takes everything");
            for difference in changed {
                writeln!(text, "       {difference}").expect("a string takes everything");
            }
        }
        if let Some(from) = self.loop_from {
            text.push_str(if from < self.steps.len() {
                "     └ and all is as it was\n"
            } else {
                "     └ nothing can happen any more\n"
            });
        }
        text
    }
}

pub(super) fn differences(
    before: &[(String, String)],
    after: &[(String, String)],
) -> Vec<Difference> {
    let changed = before.iter().zip(after).filter(|(old, new)| old.1 != new.1);
    let difference = |((part, before), (_, after)): (&(String, String), &(String, String))| {
        Difference { part: part.clone(), before: before.clone(), after: after.clone() }
    };
    changed.map(difference).collect()
}

/// The state that stands for this one.
pub(super) fn canonical<M: Model>(model: &M, mut state: M::State) -> M::State {
    model.canonical(&mut state);
    state
}
