//! Rules over runs: a [`Property`] belongs to a clause, and a [`Monitor`] judges a whole run by it.
//!
//! ```text
//!   Property { name, clause, rule } ──┐
//!                                     ▼
//!   (now, observation) ──observe──► Monitor ──verdicts(end)──► Holds | Violated | Unreached
//!      what one sees after a step, of any type `O`
//! ```
//!
//! A rule that never had its occasion does not hold, it is [`Verdict::Unreached`]: nobody may take
//! silence for proof. Rules over one state alone are invariants and stand beside that state.
use firmware_core::time::{Duration, Instant};

use crate::clause::Clause;

/// The limit of a [`Rule::Within`] whose goal must come, whenever. One run cannot break it; a search
/// over all runs can, by a loop that avoids the goal.
pub const EVENTUALLY: Duration = Duration::from_nanos(u64::MAX);

/// A rule over runs that a clause demands.
pub struct Property<O> {
    /// The rule as a sentence; also its name, so unique among the properties judged together.
    pub name: &'static str,
    /// The clause that demands it.
    pub clause: Clause,
    /// What is asked of the observations.
    pub rule: Rule<O>,
}

/// What a property asks of the observations of a run.
pub enum Rule<O> {
    /// Every observation satisfies it.
    Always {
        /// What must be the case.
        holds: fn(&O) -> bool,
        /// The name of the [`Rule::Sometimes`] property that shows that this rule had its occasion;
        /// none when any observation is one.
        premise: Option<&'static str>,
    },
    /// Some observation satisfies it.
    Sometimes {
        /// What is to be seen at least once.
        holds: fn(&O) -> bool,
    },
    /// Each trigger is followed by the goal in time. A goal seen together with its trigger counts,
    /// and so does one seen exactly `limit` later; one goal answers every trigger before it.
    Within {
        /// The longest time from a trigger to its goal.
        limit: Duration,
        /// What starts the clock.
        trigger: fn(&O) -> bool,
        /// What stops it.
        goal: fn(&O) -> bool,
    },
    /// After the first observation of one kind there is none of the other. With the same function
    /// twice: at most once.
    NeverAgain {
        /// What forbids the other from the next observation on.
        once: fn(&O) -> bool,
        /// What is forbidden then.
        never: fn(&O) -> bool,
    },
}

/// What a run says about a property. Observations are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It had its occasion and was not broken.
    Holds,
    /// It was broken.
    Violated {
        /// The observation from which on it could be broken: the trigger that was left waiting, or
        /// what forbade the rest; the same as `at` for a rule over single observations.
        since: usize,
        /// The first observation that shows it; the number of observations when only the end of
        /// the run does.
        at: usize,
    },
    /// It never had its occasion. A trigger whose time is not yet up when the run ends is none.
    Unreached,
}

/// Properties that cannot be judged together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    /// Two properties have the same name, so that a premise or a report could mean either.
    #[error("two properties are named `{name}`")]
    DuplicateName {
        /// The name.
        name: &'static str,
    },
    /// No property has the name that another gives as its premise.
    #[error("`{property}` has the premise `{premise}`, which is none of the properties")]
    MissingPremise {
        /// The property that names it.
        property: &'static str,
        /// The name.
        premise: &'static str,
    },
    /// The property of that name does not ask for something to be reached.
    #[error("`{property}` has the premise `{premise}`, which is no rule of the kind Sometimes")]
    PremiseNotSometimes {
        /// The property that names it.
        property: &'static str,
        /// The name.
        premise: &'static str,
    },
}

/// Judges one run by a set of properties, observation by observation.
pub struct Monitor<'a, O> {
    watches: Vec<Watch<'a, O>>,
    observed: usize,
    now: Instant,
}

/// A property and how far it has come in the run.
struct Watch<'a, O> {
    rule: &'a Rule<O>,
    /// Where in the set its premise stands.
    premise: Option<usize>,
    /// It had its occasion.
    reached: bool,
    /// What can still be broken by a later observation, or by none coming.
    open: Option<Open>,
    /// Where it was first broken.
    broken: Option<Verdict>,
}

/// A trigger that waits for its goal, or an observation that forbade the rest.
#[derive(Clone, Copy)]
struct Open {
    since: usize,
    /// When the goal is due; never, where nothing is owed.
    due: Instant,
}

impl<'a, O> Monitor<'a, O> {
    /// A monitor that has seen nothing yet.
    ///
    /// # Errors
    ///
    /// [`PropertyError`] for the first name that occurs twice, or the first premise that is not a
    /// [`Rule::Sometimes`] among `properties`.
    pub fn try_new(properties: &'a [Property<O>]) -> Result<Self, PropertyError> {
        for (index, property) in properties.iter().enumerate() {
            if properties[..index].iter().any(|earlier| earlier.name == property.name) {
                return Err(PropertyError::DuplicateName { name: property.name });
            }
        }
        let watches = properties.iter().map(|property| Watch::try_new(property, properties));
        Ok(Self { watches: watches.collect::<Result<_, _>>()?, observed: 0, now: Instant::ZERO })
    }

    /// Takes in what was seen at `now`.
    ///
    /// # Panics
    ///
    /// When `now` lies before the last observation: the caller's clock runs backward.
    pub fn observe(&mut self, now: Instant, observation: &O) {
        assert!(self.now <= now, "observations come in the order of time");
        for watch in &mut self.watches {
            if watch.broken.is_none() {
                watch.observe(self.observed, now, observation);
            }
        }
        self.observed += 1;
        self.now = now;
    }

    /// The verdicts on a run that was watched until `end`, in the order of the properties.
    ///
    /// # Panics
    ///
    /// When `end` lies before the last observation.
    pub fn verdicts(&self, end: Instant) -> Vec<Verdict> {
        assert!(self.now <= end, "a run does not end before its last observation");
        self.watches.iter().map(|watch| self.verdict(watch, end)).collect()
    }

    fn verdict(&self, watch: &Watch<'a, O>, end: Instant) -> Verdict {
        if let Some(broken) = watch.broken {
            return broken;
        }
        if let Some(Open { since, due }) = watch.open
            && due < end
        {
            return Verdict::Violated { since, at: self.observed };
        }
        let occasion = watch.premise.is_none_or(|premise| self.watches[premise].reached);
        if watch.reached && occasion { Verdict::Holds } else { Verdict::Unreached }
    }
}

impl<'a, O> Watch<'a, O> {
    fn try_new(property: &'a Property<O>, all: &[Property<O>]) -> Result<Self, PropertyError> {
        let premise = match property.rule {
            Rule::Always { premise: Some(name), .. } => {
                Some(find_premise(property.name, name, all)?)
            }
            Rule::Always { premise: None, .. }
            | Rule::Sometimes { .. }
            | Rule::Within { .. }
            | Rule::NeverAgain { .. } => None,
        };
        Ok(Self { rule: &property.rule, premise, reached: false, open: None, broken: None })
    }

    fn observe(&mut self, index: usize, now: Instant, observation: &O) {
        match self.rule {
            Rule::Always { holds, .. } => {
                self.reached = true;
                if !holds(observation) {
                    self.broken = Some(Verdict::Violated { since: index, at: index });
                }
            }
            Rule::Sometimes { holds } => self.reached |= holds(observation),
            Rule::Within { limit, trigger, goal } => {
                let (triggered, answered) = (trigger(observation), goal(observation));
                self.observe_within(index, now, *limit, triggered, answered);
            }
            Rule::NeverAgain { once, never } => match self.open {
                Some(Open { since, .. }) if never(observation) => {
                    self.broken = Some(Verdict::Violated { since, at: index });
                }
                None if once(observation) => {
                    self.reached = true;
                    self.open = Some(Open { since: index, due: Instant::NEVER });
                }
                Some(_) | None => {}
            },
        }
    }

    /// The oldest waiting trigger is the first to run out, and a goal answers all that wait: one
    /// open trigger stands for all.
    fn observe_within(
        &mut self,
        index: usize,
        now: Instant,
        limit: Duration,
        triggered: bool,
        answered: bool,
    ) {
        match self.open {
            Some(Open { since, due }) if due < now => {
                self.broken = Some(Verdict::Violated { since, at: index });
            }
            waiting if answered => {
                self.reached |= triggered || waiting.is_some();
                self.open = None;
            }
            None if triggered => self.open = Some(Open { since: index, due: now.after(limit) }),
            Some(_) | None => {}
        }
    }
}

/// Where in the set the premise of `property` stands.
fn find_premise<O>(
    property: &'static str,
    premise: &'static str,
    all: &[Property<O>],
) -> Result<usize, PropertyError> {
    let index = all
        .iter()
        .position(|candidate| candidate.name == premise)
        .ok_or(PropertyError::MissingPremise { property, premise })?;
    match all[index].rule {
        Rule::Sometimes { .. } => Ok(index),
        Rule::Always { .. } | Rule::Within { .. } | Rule::NeverAgain { .. } => {
            Err(PropertyError::PremiseNotSometimes { property, premise })
        }
    }
}
