//! The set of visited states: open addressing over the numbers of states, with 32 bits of the hash
//! beside each number so that hardly ever a wrong state is looked at.
//!
//! ```text
//!   slot = tag (32 bits of the hash) | number + 1 (32 bits)      0: free
//!   place of a tag = its upper bits; then the next free slot
//! ```
//!
//! A slot has 8 bytes and the table is at most four fifths full, so 10 to 20 bytes belong to a state.

/// Slots for state numbers.
pub(super) struct Slots {
    table: Vec<u64>,
    bits: u32,
    used: usize,
}

impl Slots {
    /// An empty table.
    pub(super) fn new() -> Self {
        Self { table: vec![0; 1 << 10], bits: 10, used: 0 }
    }

    /// The number that `is` recognises among those entered with this hash, or the slot where it
    /// belongs.
    #[inline]
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let tag = hash >> 32;
        let mask = self.table.len() - 1;
        let mut place = self.place(tag);
        loop {
            let slot = self.table[place];
            if slot == 0 {
                return Err(place);
            }
            let number = number(slot);
            if slot >> 32 == tag && is(number) {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
    }

    /// Enters `number` with its hash in the free slot that [`Slots::find`] gave for it.
    pub(super) fn enter(&mut self, place: usize, hash: u64, number: u32) {
        self.table[place] = (hash >> 32 << 32) | (u64::from(number) + 1);
        self.used += 1;
        if self.used * 5 > self.table.len() * 4 {
            self.grow();
        }
    }

    /// Bytes that the table takes.
    pub(super) fn bytes(&self) -> usize {
        self.table.len() * size_of::<u64>()
    }

    #[inline]
    fn place(&self, tag: u64) -> usize {
        usize::try_from(tag >> (32 - self.bits)).expect("a table has at most 2^32 slots")
    }

    fn grow(&mut self) {
        assert!(self.bits < 32, "a state's number has 32 bits, and so has a tag");
        self.bits += 1;
        let old = core::mem::replace(&mut self.table, vec![0; 1 << self.bits]);
        let mask = self.table.len() - 1;
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut place = self.place(slot >> 32);
            while self.table[place] != 0 {
                place = (place + 1) & mask;
            }
            self.table[place] = slot;
        }
    }
}

#[inline]
fn number(slot: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is the number and one")]
    let above = slot as u32;
    above - 1
}

#[cfg(test)]
mod tests {
    use super::super::hash::fold;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// The table against a map, with hashes that collide often.
        #[test]
        fn it_holds_exactly_what_was_entered(
            values in prop::collection::vec(0_u64..500, 0..3_000),
            narrow in any::<bool>(),
        ) {
            let hash = |value: u64| if narrow { (value % 7) << 40 } else { fold(&value) };
            let (mut slots, mut kept) = (Slots::new(), Vec::new());
            let mut reference = BTreeMap::new();
            for value in values {
                let known = slots.find(hash(value), |at| kept[at as usize] == value);
                prop_assert_eq!(known.ok(), reference.get(&value).copied());
                if let Err(place) = known {
                    let number = u32::try_from(kept.len()).expect("a few");
                    kept.push(value);
                    slots.enter(place, hash(value), number);
                    reference.insert(value, number);
                }
            }
        }
    }
}
