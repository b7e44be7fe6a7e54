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

use super::blocks::Blocks;

/// Marks the last word of a list.
const LAST: u32 = 1 << 31;
/// Stands for an empty list; greater than any number of a state that leads somewhere.
const NONE: u32 = LAST - 1;
/// States between two entries of the index.
const STRIDE: usize = 16;

/// Lists of transitions, one for each state.
#[derive(Debug, Default)]
pub(super) struct Edges {
    words: Blocks<u32>,
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
        self.words.push(to);
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
                self.words.push(NONE | LAST);
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
        let mut words = self.words.from(start).copied();
        let skipped = state % STRIDE;
        if skipped > 0 {
            let mut ends = 0;
            words.find(|word| {
                ends += (word >> 31) as usize;
                ends == skipped
            });
        }
        let mut open = true;
        let list = words.take_while(move |word| {
            let belongs = open;
            open = word & LAST == 0;
            belongs
        });
        list.map(|word| word & !LAST).filter(|&to| to != NONE)
    }

    /// Bytes that the lists take.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes() + self.index.capacity() * size_of::<u64>()
    }

    /// The states that cannot be peeled, ascending, of those that `within` holds; transitions from
    /// and to others do not count. Every loop within is among them.
    pub(super) fn unpeeled(&self, within: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut leading = vec![0_u32; self.lists as usize];
        self.each(|from, to| {
            if to != NONE && within(from) && within(to) {
                leading[to as usize] += 1;
            }
        });
        // In order, every state that nothing leads to; and from it back to those that become so.
        let mut peeled: Vec<u32> = Vec::new();
        self.each(|start, to| {
            let count = leading[start as usize];
            if !within(start) || (count != 0 && count != PEELED) {
                return;
            }
            leading[start as usize] = PEELED;
            drop_edge(&mut leading, to, start, &within, &mut peeled);
            while let Some(state) = peeled.pop() {
                for to in self.from(state) {
                    drop_edge(&mut leading, to, start, &within, &mut peeled);
                }
            }
        });
        let remains = |state: &u32| within(*state) && leading[*state as usize] != PEELED;
        (0..self.lists).filter(remains).collect()
    }

    /// Every transition, in order; of a state without any, one to [`NONE`].
    fn each(&self, mut each: impl FnMut(u32, u32)) {
        let mut from = 0;
        for word in self.words.from(0) {
            each(from, word & !LAST);
            from += word >> 31;
        }
    }
}

/// Instead of a count: the state is peeled.
const PEELED: u32 = u32::MAX;

/// Takes away a transition whose beginning is peeled, with its end if nothing else leads there. A
/// state after `start` is still to come.
fn drop_edge(
    leading: &mut [u32],
    to: u32,
    start: u32,
    within: impl Fn(u32) -> bool,
    peeled: &mut Vec<u32>,
) {
    if to == NONE || !within(to) {
        return;
    }
    let left = &mut leading[to as usize];
    *left -= 1;
    if *left == 0 && to < start {
        *left = PEELED;
        peeled.push(to);
    }
}

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
