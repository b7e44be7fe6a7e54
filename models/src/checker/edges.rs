//! The transitions between states in which a rule waits, noted while they are found, so that loops
//! are looked for without exploring anything again.
//!
//! ```text
//!   state 0      state 1   state 2           one word of 32 bits for each transition,
//!   1, 2, 5 ■    NONE ■    0, 7 ■   …        the last one of a state marked (■)
//!   └ index: where the lists of states 0, 16, 32, … begin
//! ```
//!
//! A search expands states in the order of their numbers, so lists are only ever appended to. To find
//! the list of a state at most fifteen others are skipped.
//!
//! Whether there is a loop is found by peeling: a state that no remaining state leads to is on no
//! loop. What cannot be peeled holds every loop there is, and is empty nearly always.

use super::visited::push;

/// Marks the last word of a list.
const LAST: u32 = 1 << 31;
/// Stands for an empty list; greater than any number of a state that leads somewhere.
const NONE: u32 = LAST - 1;
/// States between two entries of the index.
const STRIDE: usize = 16;

/// Lists of transitions, one for each state.
#[derive(Debug, Default)]
pub(super) struct Edges {
    words: Vec<u32>,
    index: Vec<u64>,
    /// Lists that are complete.
    lists: u32,
    /// Whether the list after them has a transition already.
    open: bool,
}

impl Edges {
    /// Notes a transition. Those of a state come together, and states in the order of their numbers.
    pub(super) fn add(&mut self, from: u32, to: u32) {
        self.complete(from);
        if !self.open {
            self.begin();
            self.open = true;
        }
        push(&mut self.words, to);
    }

    /// Every state below `states` has its list, be it empty.
    pub(super) fn complete(&mut self, states: u32) {
        while self.lists < states {
            if self.open {
                if let Some(last) = self.words.last_mut() {
                    *last |= LAST;
                }
                self.open = false;
            } else {
                self.begin();
                push(&mut self.words, NONE | LAST);
            }
            self.lists += 1;
        }
    }

    fn begin(&mut self) {
        if (self.lists as usize).is_multiple_of(STRIDE) {
            self.index.push(self.words.len() as u64);
        }
    }

    /// Where the complete list of a state leads.
    pub(super) fn from(&self, state: u32) -> impl Iterator<Item = u32> {
        let state = state as usize;
        let start = self
            .index
            .get(state / STRIDE)
            .map_or(self.words.len(), |&at| usize::try_from(at).expect("an index into memory"));
        let mut words = self.words.get(start..).unwrap_or_default();
        for _ in 0..state % STRIDE {
            let ends = words.iter().position(|word| word & LAST != 0);
            words = ends.map_or(&[], |at| &words[at + 1..]);
        }
        let length = words.iter().position(|word| word & LAST != 0).map_or(0, |at| at + 1);
        words[..length].iter().map(|word| word & !LAST).filter(|&to| to != NONE)
    }

    /// Bytes that the lists take.
    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>() + self.index.capacity() * size_of::<u64>()
    }

    /// The states that cannot be peeled, ascending, of those that `within` holds; transitions from
    /// and to others do not count. Every loop within is among them.
    pub(super) fn unpeeled(&self, within: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut leading = vec![0_u32; self.lists as usize];
        let inside = |from: u32| self.from(from).filter(|&to| within(to));
        let states = || (0..self.lists).filter(|&state| within(state));
        self.each(|from, to| {
            if within(from) && within(to) {
                leading[to as usize] += 1;
            }
        });
        // From every state that nothing leads to, go on along those that become so.
        let mut peeled: Vec<u32> = Vec::new();
        for start in states() {
            if leading[start as usize] == 0 {
                leading[start as usize] = PEELED;
                peeled.push(start);
            }
            while let Some(state) = peeled.pop() {
                for to in inside(state) {
                    let left = &mut leading[to as usize];
                    *left -= 1;
                    // A state that is still to come is met by the loop outside.
                    if *left == 0 && to < start {
                        *left = PEELED;
                        peeled.push(to);
                    }
                }
            }
        }
        states().filter(|&state| leading[state as usize] != PEELED).collect()
    }

    /// Every transition, in order.
    fn each(&self, mut each: impl FnMut(u32, u32)) {
        let mut from = 0;
        for word in &self.words {
            if word & !LAST != NONE {
                each(from, word & !LAST);
            }
            from += word >> 31;
        }
    }
}

/// Instead of a count: the state is peeled.
const PEELED: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn edges(states: u32, pairs: &BTreeSet<(u32, u32)>) -> Edges {
        let mut edges = Edges::default();
        for &(from, to) in pairs {
            edges.add(from, to);
        }
        edges.complete(states);
        edges
    }

    proptest! {
        #[test]
        fn each_list_is_what_was_added(
            pairs in prop::collection::btree_set((0_u32..70, 0_u32..70), 0..200),
        ) {
            let edges = edges(70, &pairs);
            for state in 0..70 {
                let is: Vec<u32> = edges.from(state).collect();
                let wanted = pairs.iter().filter(|(from, _)| *from == state).map(|&(_, to)| to);
                prop_assert_eq!(is, wanted.collect::<Vec<u32>>());
            }
        }

        /// Against the definition: repeat until nothing changes, over the pairs themselves.
        #[test]
        fn what_is_left_is_what_no_peeling_removes(
            pairs in prop::collection::btree_set((0_u32..40, 0_u32..40), 0..60),
            outside in prop::collection::btree_set(0_u32..40, 0..10),
        ) {
            let mut left: BTreeSet<u32> = (0..40).filter(|it| !outside.contains(it)).collect();
            loop {
                let led = |to: &u32| pairs.iter().any(|(from, it)| it == to && left.contains(from));
                let rest: BTreeSet<u32> = left.iter().copied().filter(led).collect();
                if rest == left {
                    break;
                }
                left = rest;
            }
            let is = edges(40, &pairs).unpeeled(|state| !outside.contains(&state));
            prop_assert_eq!(is, left.into_iter().collect::<Vec<u32>>());
        }
    }
}
