//! Explores every state that a closed system can reach, breadth first, and judges properties on the
//! way: what a simulation shows of one run, this shows of all runs within the model's bounds.
//!
//! ```text
//!   Model ──successors──► state ─► canonical ─► code ─► seen before? ── yes ─► counted
//!     │                     │                              └ no ─► kept, with its predecessor
//!     └──observe──► what one sees of the transition ──► Watches ──► first violation: shortest path
//!                                                       │
//!   open `Within` rules ──► graph of their states ──► strongly connected components: loops
//! ```
//!
//! # How to read a verdict
//!
//! * **Holds**: every reachable state within the model's own bounds was visited, full states were
//!   compared, and the rule had its occasion.
//! * **Violated**: with the shortest path there is, as inputs and states; the same at any number of
//!   threads.
//! * **Unreached**: nothing broke it because nothing ever asked for it. Not a proof.
//! * **Inconclusive**: a limit was hit, or states were told apart by digests only. Never "holds".
//!
//! # Why the order never changes
//!
//! States are numbered in the order in which they are found. A level is expanded in blocks; several
//! threads expand parts of a block against the states known before it, and what they found is
//! entered in the order of the parts. So numbers, counts, predecessors and counterexamples do not
//! depend on the number of threads.
//!
//! # Why there is no bit-state mode
//!
//! A set that forgets states and still prints "full search" is the one thing this checker must not
//! be. [`check_lossy`] keeps 64 bits of each state; it finds violations in less memory, and every
//! other verdict of it is inconclusive.

mod blocks;
pub mod codec;
mod edges;
pub mod example;
pub mod graph;
mod hash;
pub mod lasso;
mod liveness;
pub mod memo;
pub mod monitor;
pub mod path;
pub mod replay;
mod search;
pub mod verdict;
mod visited;

use core::fmt::Debug;
use core::hash::Hash;

use crate::property::{Property, PropertyError};
use codec::{Codec, Digest};
pub use hash::fold;
pub use lasso::{Lasso, LassoError, replay_lasso};
pub use path::{Difference, Path, Step};
pub use replay::{ReplayError, Replayed, replay, words};
pub use verdict::{Found, Report, Stopped, Verdict};

/// A closed system: everything that can happen in it is one of its own actions.
pub trait Model: Sync {
    /// The working form of a state.
    type State: Clone + Send + Sync;
    /// What leads from one state to the next.
    type Action: Clone + Debug + Send;
    /// What the properties see of a transition.
    type Seen;
    /// The compact form of a state.
    type Codec: Codec<State = Self::State>;

    /// An empty codec.
    fn codec(&self) -> Self::Codec;

    /// Where runs begin, in a fixed order.
    fn initial(&self) -> Vec<Self::State>;

    /// Hands every action that `state` allows to `each` with the state it leads to, in a fixed
    /// order.
    fn successors(&self, state: &Self::State, each: &mut impl FnMut(Self::Action, Self::State));

    /// What is seen when `step` (a state and an action) has led to `after`; `None` at the beginning.
    fn observe(
        &self,
        step: Option<(&Self::State, &Self::Action)>,
        after: &Self::State,
    ) -> Self::Seen;

    /// The rules, judged together. At most [`PROPERTIES_MAX`].
    fn properties(&self) -> Vec<Property<Self::Seen>>;

    /// How many ticks of the model's clock an action takes.
    fn ticks(&self, _action: &Self::Action) -> u32 {
        0
    }

    /// The length of a tick; limits of `Within` rules are rounded down to whole ticks.
    fn tick(&self) -> firmware_core::time::Duration {
        firmware_core::time::Duration::MILLISECOND
    }

    /// Replaces a state by the one that stands for all that differ from it only by names, such as
    /// those of interchangeable peers.
    fn canonical(&self, _state: &mut Self::State) {}

    /// The parts of a state as a person names them, always the same in the same order.
    fn describe(&self, state: &Self::State) -> Vec<(String, String)>;

    /// An action in one word or a few: what files of counterexamples hold. Different actions of one
    /// state have different words.
    fn word(&self, action: &Self::Action) -> String {
        format!("{action:?}")
    }

    /// An action as a person would say it.
    fn say(&self, action: &Self::Action) -> String {
        self.word(action)
    }
}

/// Properties that one model may have.
pub const PROPERTIES_MAX: usize = 64;

/// States that one search can number: 2^31 - 1, which leaves a bit of a word of 32 for marks.
pub const STATES_MAX: u32 = (1 << 31) - 1;

/// Bounds of a search. One that is hit makes it inconclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// States kept at most; more than [`STATES_MAX`] is taken for that.
    pub states_max: u32,
    /// Transitions from the beginning at most.
    pub depth_max: u32,
    /// Threads that expand states, 1 or more.
    pub threads: usize,
    /// Whether to end with the level on which the first violation was found.
    pub stop_at_violation: bool,
}

impl Limits {
    /// Whatever fits: [`STATES_MAX`] states on one thread.
    pub const NONE: Self =
        Self { states_max: STATES_MAX, depth_max: u32::MAX, threads: 1, stop_at_violation: false };

    /// The same on `threads` threads.
    #[must_use]
    pub const fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The same with at most `states_max` states.
    #[must_use]
    pub const fn states(self, states_max: u32) -> Self {
        Self { states_max, ..self }
    }

    /// The same, ending with the first violation.
    #[must_use]
    pub const fn until_violated(self) -> Self {
        Self { stop_at_violation: true, ..self }
    }
}

/// Explores `model` within `limits`, telling states apart by all of them.
///
/// # Errors
///
/// [`PropertyError`] when the model's properties cannot be judged
/// together.
pub fn check<M: Model>(model: &M, limits: Limits) -> Result<Report<M>, PropertyError> {
    let properties = model.properties();
    Ok(search::Search::try_new(model, &properties, model.codec(), limits)?.run())
}

/// The same, lossy: states are told apart by a digest of 64 bits, so that one may be taken for
/// another and never be visited. Finds violations; proves nothing.
///
/// # Errors
///
/// As [`check`].
pub fn check_lossy<M: Model>(model: &M, limits: Limits) -> Result<Report<M>, PropertyError>
where
    M::State: Hash,
{
    let properties = model.properties();
    Ok(search::Search::try_new(model, &properties, Digest::default(), limits)?.run())
}
