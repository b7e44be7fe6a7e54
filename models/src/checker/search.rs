//! The search itself: level by level, block by block, on any number of threads with one result.
//!
//! ```text
//!   level ──► blocks ──► parts, one a thread ──► successors not known before ──► entered in order
//! ```
//!
//! A thread only reads what is known before its block; what several threads find at once is found
//! again when it is entered, and dropped. One thread enters at once, which comes to the same.
use core::ops::Range;

use super::blocks::Blocks;
use super::codec::Codec;
use super::edges::Edges;
use super::hash::mix;
use super::monitor::{Effect, Watches};
use super::path::{Path, Step, canonical};
use super::verdict::{Found, Report, Stopped, Verdict};
use super::visited::Slots;
use super::{Limits, Model, STATES_MAX, liveness};
use crate::property::{Property, PropertyError, Rule};

/// States that one thread expands before what it found is entered.
const PART: u32 = 2_048;
/// The number that stands for "no predecessor".
pub(super) const BEGINNING: u32 = u32::MAX;

/// A search in progress.
pub(super) struct Search<'a, M: Model, C: Codec<State = M::State>> {
    pub(super) model: &'a M,
    limits: Limits,
    properties: &'a [Property<M::Seen>],
    pub(super) watches: Watches<'a, M::Seen>,
    pub(super) kept: Kept<C>,
    /// The transitions between states in which the same rule waits.
    pub(super) edges: Edges,
    tally: Tally,
}

/// Every state found, by number.
pub(super) struct Kept<C: Codec> {
    pub(super) codec: C,
    codes: Blocks<C::Code>,
    /// What the rules remember; empty when they remember nothing.
    memories: Blocks<u32>,
    predecessors: Blocks<u32>,
    slots: Slots,
}

/// What is counted and noted on the way.
#[derive(Default)]
struct Tally {
    transitions: u64,
    ends: u32,
    reached: u64,
    broken: u64,
    /// For each property broken: the property, and the state from which the breaking step was made.
    violations: Vec<(usize, u32)>,
    /// For each rule whose goal must come some day: the first state without a successor in which it
    /// waits.
    stuck: Vec<(usize, u32)>,
    full: bool,
}

/// Where a transition leads, as one thread sees it.
struct Candidate<S> {
    next: Next<S>,
    memory: u32,
    from: u32,
}

enum Next<S> {
    /// To a state that was known before the block.
    Known(u32),
    /// To one that was not.
    Unknown(S),
}

/// What one thread found.
struct Part<S> {
    candidates: Vec<Candidate<S>>,
    tally: Tally,
}

impl<C: Codec> Kept<C> {
    fn len(&self) -> u32 {
        u32::try_from(self.codes.len()).expect("no more states than a number counts are kept")
    }

    pub(super) fn memory(&self, number: u32) -> u32 {
        self.memories.get(number as usize).copied().unwrap_or(0)
    }

    pub(super) fn state(&self, number: u32) -> Option<C::State> {
        self.codec.state(number, self.codes[number as usize])
    }

    fn slot(&self, code: C::Code, memory: u32) -> (u64, Result<u32, usize>) {
        let hash = mix(C::hash(code) ^ u64::from(memory), 0xD6E8_FEB8_6659_FD93);
        let is = |at: u32| self.codes[at as usize] == code && self.memory(at) == memory;
        (hash, self.slots.find(hash, is))
    }

    /// The number of a state that is kept.
    pub(super) fn find(&self, state: &C::State, memory: u32) -> Option<u32> {
        self.slot(self.codec.find(state)?, memory).1.ok()
    }

    /// Keeps a state, whose code this is, unless it is kept already; its number.
    fn enter(
        &mut self,
        (state, code): (&C::State, C::Code),
        (memory, from): (u32, u32),
        remembers: bool,
    ) -> u32 {
        let (hash, slot) = self.slot(code, memory);
        let place = match slot {
            Ok(number) => return number,
            Err(place) => place,
        };
        let number = self.len();
        self.codes.push(code);
        if remembers {
            self.memories.push(memory);
        }
        self.predecessors.push(from);
        self.slots.enter(place, hash, number);
        self.codec.keep(state);
        number
    }

    /// The same as long as there is room; `None` when a new state has none. Of the state before, if
    /// it is at hand, the code is known.
    fn admit(
        &mut self,
        before: Option<(&C::State, C::Code)>,
        state: &C::State,
        (memory, from): (u32, u32),
        (remembers, states_max): (bool, u32),
    ) -> Option<u32> {
        if self.len() >= states_max {
            return self.find(state, memory);
        }
        let code = match before {
            Some(before) => self.codec.code_after(before, state),
            None => self.codec.code(state),
        };
        Some(self.enter((state, code), (memory, from), remembers))
    }

    /// The number of a state that is kept, found from the one before it.
    fn find_after(
        &self,
        before: (&C::State, C::Code),
        state: &C::State,
        memory: u32,
    ) -> Option<u32> {
        self.slot(self.codec.find_after(before, state)?, memory).1.ok()
    }

    fn bytes(&self) -> usize {
        self.codes.bytes()
            + self.memories.bytes()
            + self.predecessors.bytes()
            + self.slots.bytes()
            + self.codec.bytes()
    }
}

impl Tally {
    /// Notes what a step from `from` did.
    fn note(&mut self, effect: Effect, from: u32) {
        self.reached |= effect.reached;
        let mut fresh = effect.broken & !self.broken;
        self.broken |= effect.broken;
        while fresh != 0 {
            self.violations.push((fresh.trailing_zeros() as usize, from));
            fresh &= fresh - 1;
        }
    }

    /// Adds what a later part found.
    fn absorb(&mut self, later: Self) {
        self.transitions += later.transitions;
        self.ends += later.ends;
        self.reached |= later.reached;
        for (property, from) in later.violations {
            if self.broken & 1 << property == 0 {
                self.broken |= 1 << property;
                self.violations.push((property, from));
            }
        }
        for (property, state) in later.stuck {
            self.note_stuck(property, state);
        }
    }

    /// Notes a state without a successor.
    fn note_end<O>(&mut self, watches: &Watches<'_, O>, memory: u32, state: u32) {
        self.ends += 1;
        for property in watches.waiting() {
            if watches.is_eventually(property) && watches.waits(property, memory) {
                self.note_stuck(property, state);
            }
        }
    }

    fn note_stuck(&mut self, property: usize, state: u32) {
        if self.stuck(property).is_none() {
            self.stuck.push((property, state));
        }
    }

    fn stuck(&self, property: usize) -> Option<u32> {
        self.stuck.iter().find(|(at, _)| *at == property).map(|&(_, state)| state)
    }
}

impl<'a, M: Model, C: Codec<State = M::State>> Search<'a, M, C> {
    pub(super) fn try_new(
        model: &'a M,
        properties: &'a [Property<M::Seen>],
        codec: C,
        limits: Limits,
    ) -> Result<Self, PropertyError> {
        let watches = Watches::try_new(properties, model.tick())?;
        let kept = Kept {
            codec,
            codes: Blocks::default(),
            memories: Blocks::default(),
            predecessors: Blocks::default(),
            slots: Slots::new(),
        };
        let limits = Limits { states_max: limits.states_max.min(STATES_MAX), ..limits };
        let (edges, tally) = (Edges::default(), Tally::default());
        Ok(Self { model, limits, properties, watches, kept, edges, tally })
    }

    pub(super) fn run(mut self) -> Report<M> {
        self.begin();
        let (mut level, mut depth) = (0..self.kept.len(), 0);
        let stopped = loop {
            if level.is_empty() {
                break (!C::EXACT).then_some(Stopped::Lossy);
            }
            if self.limits.stop_at_violation && self.tally.broken != 0 {
                break Some(Stopped::AtViolation);
            }
            if depth == self.limits.depth_max {
                break Some(Stopped::Depth(depth));
            }
            self.expand_level(level.clone());
            if self.tally.full {
                break Some(Stopped::States(self.limits.states_max));
            }
            level = level.end..self.kept.len();
            depth += u32::from(!level.is_empty());
        };
        self.report(depth, stopped)
    }

    fn begin(&mut self) {
        for state in self.model.initial() {
            let state = canonical(self.model, state);
            let seen = self.model.observe(None, &state);
            let (memory, effect) = self.watches.step(0, 0, &seen);
            self.tally.note(effect, BEGINNING);
            let code = self.kept.codec.code(&state);
            self.kept.enter((&state, code), (memory, BEGINNING), self.watches.remembers());
        }
    }

    fn expand_level(&mut self, level: Range<u32>) {
        let threads = u32::try_from(self.limits.threads.max(1)).unwrap_or(u32::MAX);
        let mut next = level.start;
        while next < level.end && !self.tally.full {
            let block = next..level.end.min(next.saturating_add(PART.saturating_mul(threads)));
            next = block.end;
            let start = block.start;
            if threads == 1 || block.len() < 64 {
                self.expand_here(block);
            } else {
                self.expand_apart(&block, threads);
            }
            // The loops are looked for at the end, and need every state; digests keep none.
            if !C::EXACT {
                self.kept.codec.forget_below(start);
            }
        }
    }

    /// Expands `block` on this thread and enters what it finds at once.
    fn expand_here(&mut self, block: Range<u32>) {
        let Self { model, watches, kept, tally, limits, edges, .. } = self;
        let bounds = (watches.remembers(), limits.states_max);
        for from in block {
            let Some(state) = kept.state(from) else { continue };
            let (code, before) = (kept.codes[from as usize], kept.memory(from));
            let mut any = false;
            model.successors(&state, &mut |action, mut next| {
                any = true;
                let at = (&state, before, from);
                let memory = judge(*model, watches, tally, at, &action, &mut next);
                match kept.admit(Some((&state, code)), &next, (memory, from), bounds) {
                    Some(to) if C::EXACT && watches.both_wait(before, memory) => {
                        edges.add(from, to);
                    }
                    Some(_) => {}
                    None => tally.full = true,
                }
            });
            if !any {
                tally.note_end(watches, before, from);
            }
            if tally.full {
                return;
            }
        }
    }

    /// Expands `block` on several threads, and enters what they found in the order of the parts.
    fn expand_apart(&mut self, block: &Range<u32>, threads: u32) {
        let share = u32::try_from(block.len()).unwrap_or(u32::MAX).div_ceil(threads);
        let parts: Vec<Part<M::State>> = std::thread::scope(|scope| {
            let this = &*self;
            let workers: Vec<_> = (0..threads)
                .map(|at| {
                    let start = block.start.saturating_add(at * share).min(block.end);
                    let end = start.saturating_add(share).min(block.end);
                    scope.spawn(move || this.expand_part(start..end))
                })
                .collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        });
        let bounds = (self.watches.remembers(), self.limits.states_max);
        for part in parts {
            self.tally.absorb(part.tally);
            for Candidate { next, memory, from } in part.candidates {
                let to = match next {
                    Next::Known(to) => Some(to),
                    Next::Unknown(state) => self.kept.admit(None, &state, (memory, from), bounds),
                };
                match to {
                    Some(to) if self.notes(self.kept.memory(from), memory) => {
                        self.edges.add(from, to);
                    }
                    Some(_) => {}
                    None => self.tally.full = true,
                }
            }
        }
    }

    /// Whether a transition between states with these memories may be part of a loop to look for.
    fn notes(&self, before: u32, after: u32) -> bool {
        C::EXACT && self.watches.both_wait(before, after)
    }

    /// The first state without a successor in which this rule waits, if its goal must come some day.
    pub(super) fn stuck(&self, property: usize) -> Option<u32> {
        self.tally.stuck(property)
    }

    fn expand_part(&self, part: Range<u32>) -> Part<M::State> {
        let mut found = Part { candidates: Vec::new(), tally: Tally::default() };
        for from in part {
            let Some(state) = self.kept.state(from) else { continue };
            let (code, before) = (self.kept.codes[from as usize], self.kept.memory(from));
            let mut any = false;
            let Part { candidates, tally } = &mut found;
            self.model.successors(&state, &mut |action, mut next| {
                any = true;
                let at = (&state, before, from);
                let memory = judge(self.model, &self.watches, tally, at, &action, &mut next);
                let next = match self.kept.find_after((&state, code), &next, memory) {
                    Some(to) if self.notes(before, memory) => Next::Known(to),
                    Some(_) => return,
                    None => Next::Unknown(next),
                };
                candidates.push(Candidate { next, memory, from });
            });
            if !any {
                tally.note_end(&self.watches, before, from);
            }
        }
        found
    }

    fn report(mut self, depth: u32, stopped: Option<Stopped>) -> Report<M> {
        self.edges.complete(self.kept.len());
        let lassos = match stopped {
            None => liveness::lassos(&self),
            Some(_) => Vec::new(),
        };
        let bytes = self.kept.bytes() + self.edges.bytes();
        let violations = core::mem::take(&mut self.tally.violations);
        let mut found = Vec::new();
        for (index, property) in self.properties.iter().enumerate() {
            let broken = violations.iter().find(|(at, _)| *at == index);
            let path = match broken {
                Some(&(_, from)) => self.path_breaking(index, from),
                None => lassos.iter().find(|(at, _)| *at == index).and_then(|(_, lasso)| {
                    let mut path = self.path_to(lasso.first().copied()?)?;
                    path.loop_from = Some(path.steps.len());
                    self.walk_on(&mut path, lasso.get(1..)?)?;
                    Some(path)
                }),
            };
            let lasso = lassos.iter().any(|(at, _)| *at == index);
            let verdict = match path {
                Some(path) => Verdict::Violated(path),
                None if broken.is_some() || lasso => Verdict::Inconclusive,
                None => self.unbroken(index, stopped),
            };
            found.push(Found { name: property.name, clause: property.clause, verdict });
        }
        Report {
            found,
            states: self.kept.len(),
            transitions: self.tally.transitions,
            ends: self.tally.ends,
            depth,
            bytes,
            stopped,
        }
    }

    /// The verdict on a property that nothing broke.
    fn unbroken(&self, index: usize, stopped: Option<Stopped>) -> Verdict<Path<M>> {
        let reached = |at: usize| self.tally.reached & 1 << at != 0;
        let rule = &self.properties[index].rule;
        let occasion = match rule {
            Rule::Always { premise: Some(premise), .. } => {
                self.properties.iter().position(|it| it.name == *premise).is_some_and(reached)
            }
            _ => true,
        };
        match (rule, reached(index) && occasion, stopped) {
            (Rule::Sometimes { .. }, true, _) | (_, true, None) => Verdict::Holds,
            (_, false, None) => Verdict::Unreached,
            (_, _, Some(_)) => Verdict::Inconclusive,
        }
    }

    /// The way to the state with this number; `None` if a digest was taken for another on the way.
    pub(super) fn path_to(&self, number: u32) -> Option<Path<M>> {
        let mut numbers = vec![number];
        while let Some(&last) = numbers.last() {
            match self.kept.predecessors[last as usize] {
                BEGINNING => break,
                before => numbers.push(before),
            }
        }
        numbers.reverse();
        let (first, rest) = numbers.split_first()?;
        let initial = self.model.initial().into_iter().find_map(|state| {
            let state = canonical(self.model, state);
            let (memory, _) = self.watches.step(0, 0, &self.model.observe(None, &state));
            (self.kept.find(&state, memory) == Some(*first)).then_some(state)
        })?;
        let mut path = Path { initial, steps: Vec::new(), loop_from: None };
        self.walk_on(&mut path, rest)?;
        Some(path)
    }

    /// Continues a path along the states with these numbers.
    fn walk_on(&self, path: &mut Path<M>, numbers: &[u32]) -> Option<()> {
        for &number in numbers {
            let is = |next: &M::State, memory: u32, _: Effect| {
                self.kept.find(next, memory) == Some(number)
            };
            let step = self.first_step(path, is)?;
            path.steps.push(step);
        }
        Some(())
    }

    /// The first step from the end of a path that `is` recognises.
    fn first_step(
        &self,
        path: &Path<M>,
        is: impl Fn(&M::State, u32, Effect) -> bool,
    ) -> Option<Step<M>> {
        let memory = self.memory_after(path);
        let from = path.steps.last().map_or(&path.initial, |step| &step.state);
        let mut found = None;
        self.model.successors(from, &mut |action, next| {
            if found.is_none() {
                let state = canonical(self.model, next);
                let seen = self.model.observe(Some((from, &action)), &state);
                let ticks = self.model.ticks(&action);
                let (memory, effect) = self.watches.step(memory, ticks, &seen);
                if is(&state, memory, effect) {
                    found = Some(Step { action, state });
                }
            }
        });
        found
    }

    /// What the rules remember at the end of a path.
    fn memory_after(&self, path: &Path<M>) -> u32 {
        let seen = self.model.observe(None, &path.initial);
        let (mut memory, _) = self.watches.step(0, 0, &seen);
        let mut from = &path.initial;
        for step in &path.steps {
            let seen = self.model.observe(Some((from, &step.action)), &step.state);
            memory = self.watches.step(memory, self.model.ticks(&step.action), &seen).0;
            from = &step.state;
        }
        memory
    }

    /// The way to the first step that breaks a property, made from the state with this number.
    fn path_breaking(&self, index: usize, from: u32) -> Option<Path<M>> {
        if from == BEGINNING {
            let initial = self.model.initial().into_iter().find_map(|state| {
                let state = canonical(self.model, state);
                let (_, effect) = self.watches.step(0, 0, &self.model.observe(None, &state));
                (effect.broken & 1 << index != 0).then_some(state)
            })?;
            return Some(Path { initial, steps: Vec::new(), loop_from: None });
        }
        let mut path = self.path_to(from)?;
        let step = self.first_step(&path, |_, _, effect| effect.broken & 1 << index != 0)?;
        path.steps.push(step);
        Some(path)
    }
}

/// Judges a step whose end is made the state that stands for it: what the rules remember then.
#[inline]
fn judge<M: Model>(
    model: &M,
    watches: &Watches<'_, M::Seen>,
    tally: &mut Tally,
    (state, memory, from): (&M::State, u32, u32),
    action: &M::Action,
    next: &mut M::State,
) -> u32 {
    model.canonical(next);
    let seen = model.observe(Some((state, action)), next);
    let (memory, effect) = watches.step_on(memory, model.ticks(action), &seen, tally.reached);
    tally.transitions += 1;
    tally.note(effect, from);
    memory
}
