//! What the rules of [`property`](crate::property) remember of a run, as a few bits of the state:
//! whether a `NeverAgain` has had its first observation, and how long a `Within` has been waiting.
//!
//! ```text
//!   rule          bits            value
//!   Always        0
//!   Sometimes     0
//!   NeverAgain    1               1: what is forbidden from now on is forbidden
//!   Within        for limit + 2   0: nothing waits; 1 + e: the oldest trigger waits for e ticks
//!   Within NEVER  1               1: a trigger waits, however long
//! ```
//!
//! The semantics are those of [`Monitor`](crate::property::Monitor), which judges one run; a test
//! compares the two over all runs of a toy.
use firmware_core::time::Duration;

use crate::property::{Property, PropertyError, Rule};

/// No deadline: the goal must come, whenever. Loops that avoid it are violations.
pub(super) const EVENTUALLY: Duration = crate::property::EVENTUALLY;

/// The rules and where each keeps its bits.
pub struct Watches<'a, O> {
    rules: Vec<Watch<'a, O>>,
    bits: u32,
    /// The bits of each rule that can wait.
    waiting: Vec<u32>,
}

struct Watch<'a, O> {
    rule: &'a Rule<O>,
    shift: u32,
    /// Its bits.
    mask: u32,
    /// Ticks that a `Within` may take; `None` is any number.
    limit: Option<u32>,
}

/// What a transition did to the rules: one bit for each property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// It had its occasion.
    pub reached: u64,
    /// It was broken.
    pub broken: u64,
}

impl<'a, O> Watches<'a, O> {
    /// The rules of `properties`, on a clock of this `tick`.
    ///
    /// # Errors
    ///
    /// [`PropertyError`] when they cannot be judged together.
    pub fn try_new(properties: &'a [Property<O>], tick: Duration) -> Result<Self, PropertyError> {
        // The set is checked as a run's monitor checks it.
        crate::property::Monitor::try_new(properties)?;
        assert!(properties.len() <= super::PROPERTIES_MAX, "a property is a bit of 64");
        let mut bits = 0;
        let mut rules = Vec::with_capacity(properties.len());
        for property in properties {
            let (width, limit) = match &property.rule {
                Rule::Always { .. } | Rule::Sometimes { .. } => (0, None),
                Rule::NeverAgain { .. } => (1, None),
                Rule::Within { limit, .. } if *limit == EVENTUALLY => (1, None),
                Rule::Within { limit, .. } => {
                    let ticks = limit.as_nanos() / tick.as_nanos().max(1);
                    let ticks = u32::try_from(ticks).unwrap_or(u32::MAX - 2);
                    (u32::BITS - (ticks + 1).leading_zeros(), Some(ticks))
                }
            };
            let mask = mask(bits, width);
            rules.push(Watch { rule: &property.rule, shift: bits.min(31), mask, limit });
            bits += width;
        }
        assert!(bits <= 32, "what the rules remember has {bits} bits; 32 fit");
        let can_wait = |watch: &&Watch<'a, O>| matches!(watch.rule, Rule::Within { .. });
        let waiting = rules.iter().filter(can_wait).map(|watch| watch.mask).collect();
        Ok(Self { rules, bits, waiting })
    }

    /// Whether any rule remembers anything.
    pub(super) fn remembers(&self) -> bool {
        self.bits > 0
    }

    /// Whether the rule at `index` waits for its goal in this memory.
    pub(super) fn waits(&self, index: usize, memory: u32) -> bool {
        let watch = &self.rules[index];
        matches!(watch.rule, Rule::Within { .. }) && watch.value(memory) != 0
    }

    /// Whether some rule waits for its goal in both of these memories.
    #[inline]
    pub(super) fn both_wait(&self, one: u32, other: u32) -> bool {
        self.waiting.iter().any(|mask| one & mask != 0 && other & mask != 0)
    }

    /// Whether the rule at `index` waits without a deadline.
    pub(super) fn is_eventually(&self, index: usize) -> bool {
        matches!(self.rules[index].rule, Rule::Within { .. }) && self.rules[index].limit.is_none()
    }

    /// The indices of the rules that can wait.
    pub(super) fn waiting(&self) -> impl Iterator<Item = usize> {
        (0..self.rules.len()).filter(|&at| matches!(self.rules[at].rule, Rule::Within { .. }))
    }

    /// Takes in what was seen after `ticks`: what is remembered then, and what the transition did.
    pub fn step(&self, memory: u32, ticks: u32, seen: &O) -> (u32, Effect) {
        self.step_on(memory, ticks, seen, 0)
    }

    /// The same, without asking again what has been seen before: the rules with a bit in `reached`
    /// had their occasion already.
    pub fn step_on(&self, memory: u32, ticks: u32, seen: &O, reached: u64) -> (u32, Effect) {
        let mut effect = Effect::default();
        let mut next = 0;
        for (index, watch) in self.rules.iter().enumerate() {
            let bit = 1_u64 << index;
            match watch.rule {
                Rule::Always { holds, .. } => {
                    effect.reached |= bit;
                    if !holds(seen) {
                        effect.broken |= bit;
                    }
                }
                Rule::Sometimes { holds } => {
                    if reached & bit == 0 && holds(seen) {
                        effect.reached |= bit;
                    }
                }
                Rule::NeverAgain { once, never } => {
                    let forbidden = watch.value(memory) != 0;
                    if forbidden && never(seen) {
                        effect.broken |= bit;
                    } else if forbidden || once(seen) {
                        effect.reached |= bit;
                    }
                    next |= u32::from(forbidden || once(seen)) << watch.shift;
                }
                Rule::Within { trigger, goal, .. } => {
                    let (value, reached, broken) =
                        watch.within(watch.value(memory), ticks, trigger(seen), goal(seen));
                    effect.reached |= u64::from(reached) << index;
                    effect.broken |= u64::from(broken) << index;
                    next |= value << watch.shift;
                }
            }
        }
        (next, effect)
    }
}

impl<O> Watch<'_, O> {
    fn value(&self, memory: u32) -> u32 {
        (memory & self.mask) >> self.shift
    }

    /// The new value, whether the rule had its occasion, and whether it was broken.
    fn within(&self, value: u32, ticks: u32, trigger: bool, goal: bool) -> (u32, bool, bool) {
        let waited = value.checked_sub(1).map(|waited| waited.saturating_add(ticks));
        match (waited, self.limit) {
            (Some(waited), Some(limit)) if waited > limit => (0, true, true),
            (Some(_), _) if goal => (0, true, false),
            (None, _) if goal => (0, trigger, false),
            (None, _) => (u32::from(trigger), false, false),
            (Some(_), None) => (1, false, false),
            (Some(waited), Some(_)) => (waited + 1, false, false),
        }
    }
}

/// The bits of a rule that has `width` of them from bit `shift` on.
fn mask(shift: u32, width: u32) -> u32 {
    let ones = u32::MAX.checked_shr(u32::BITS - width).unwrap_or(0);
    ones.checked_shl(shift).unwrap_or(0)
}
