//! Events beyond the horizon, filed by the highest digit in which their key differs from a base.
//!
//! ```text
//!   base  … 2 5 │ 0 │ 0      a key … 2 5 │ 7 │ 3  lies at level 1, slot 7
//!                            a key … 2 9 │ 1 │ 0  lies at level 2, slot 9
//! ```
//!
//! Every key is at or after the base, so at its level its digit is the greater one. Hence the order:
//! all of a level is due before all of the next, and all of a slot before all of the next slot.
use super::{BLOCK, Entry};
use firmware_core::time::Instant;

/// Six bits: the occupied slots of a level are then one word.
const DIGIT_BITS: u32 = 6;
/// Values of a digit.
pub(super) const SLOTS: u32 = 1 << DIGIT_BITS;
/// Digits of a key.
pub(super) const LEVELS: u32 = u128::BITS.div_ceil(DIGIT_BITS);

/// The greatest number of `digits` digits.
fn low_digits(digits: u32) -> u128 {
    1_u128.checked_shl(DIGIT_BITS * digits).map_or(u128::MAX, |above| above - 1)
}

/// The digit of `key` at `level`.
#[expect(clippy::cast_possible_truncation, reason = "only the low six bits are wanted")]
fn digit(key: u128, level: u32) -> u32 {
    (key >> (DIGIT_BITS * level)) as u32 % SLOTS
}

/// The place of a slot among all slots.
fn index(level: u32, digit: u32) -> usize {
    (level * SLOTS + digit) as usize
}

fn new_block<E>() -> Vec<Entry<E>> {
    Vec::with_capacity(BLOCK)
}

#[derive(Clone, Debug)]
pub(super) struct Far<E> {
    /// At or before every key here.
    base: u128,
    /// Bit `l`: level `l` has an occupied slot.
    levels: u32,
    /// For each level, bit `s`: slot `s` is occupied.
    occupied: [u64; LEVELS as usize],
    /// All slots, a level after the other.
    slots: Vec<Slot<E>>,
    /// Empty blocks.
    spare: Vec<Vec<Entry<E>>>,
}

#[derive(Clone, Debug)]
struct Slot<E> {
    /// The first key in the slot; the greatest there is when it is empty.
    first: u128,
    /// The block that is being filled.
    open: Vec<Entry<E>>,
    /// Blocks that are full.
    full: Vec<Vec<Entry<E>>>,
}

impl<E> Far<E> {
    /// Nothing, with `blocks` blocks set aside.
    pub(super) fn with_blocks(blocks: usize) -> Self {
        let empty = || Slot { first: u128::MAX, open: Vec::new(), full: Vec::new() };
        Self {
            base: 0,
            levels: 0,
            occupied: [0; LEVELS as usize],
            slots: std::iter::repeat_with(empty).take(index(LEVELS, 0)).collect(),
            spare: std::iter::repeat_with(new_block).take(blocks).collect(),
        }
    }

    /// No key before it can be here.
    pub(super) fn base(&self) -> u128 {
        self.base
    }

    /// Files an entry whose key is at or after the base.
    #[inline]
    pub(super) fn put(&mut self, entry: Entry<E>) {
        let key = entry.key();
        debug_assert!(key >= self.base, "an event before the base belongs to the near ones");
        let differing = (key ^ self.base) | 1; // the base itself: level 0
        let level = differing.ilog2() / DIGIT_BITS;
        let digit = digit(key, level);
        let slot = &mut self.slots[index(level, digit)];
        slot.first = slot.first.min(key);
        if slot.open.len() >= BLOCK {
            slot.close_block(&mut self.spare);
        }
        slot.open.push(entry);
        self.occupied[level as usize] |= 1 << digit;
        self.levels |= 1 << level;
    }

    /// The earliest instant.
    pub(super) fn first_at(&self) -> Option<Instant> {
        let (level, digit) = self.first_slot()?;
        Some(Instant::from_nanos((self.slots[index(level, digit)].first >> 64) as u64))
    }

    /// Moves the earliest slot to `block`, after dealing it out as often as it takes to fit one. At
    /// level 0, where a slot holds one key, moves as many as a block holds: equal instants get there.
    ///
    /// Returns the first key after the last slot that was moved.
    pub(super) fn take_block(&mut self, block: &mut Vec<Entry<E>>) -> Option<u128> {
        loop {
            let (level, digit) = self.first_slot()?;
            let slot = &mut self.slots[index(level, digit)];
            if !slot.full.is_empty() {
                self.deal_out(level, digit);
                continue;
            }
            block.append(&mut slot.open);
            self.vacate(level, digit);
            if self.occupied[0] == 0 || block.len() >= BLOCK {
                let last = block.last()?.key() | low_digits(level);
                return Some(last.saturating_add(1));
            }
        }
    }

    /// Distributes a slot over the levels below it. There are some: keys are unique, so at level 0
    /// a slot holds one.
    #[inline(never)]
    fn deal_out(&mut self, level: u32, digit: u32) {
        // The first key itself, so that digits which all share are passed in one go.
        self.base = self.vacate(level, digit);
        let slot = &mut self.slots[index(level, digit)];
        let full = std::mem::take(&mut slot.full);
        let mut open = std::mem::take(&mut slot.open);
        for mut block in full {
            for entry in block.drain(..) {
                self.put(entry);
            }
            self.spare.push(block);
        }
        for entry in open.drain(..) {
            self.put(entry);
        }
        self.slots[index(level, digit)].open = open;
    }

    /// Marks a slot as empty. Returns the first key that was in it.
    fn vacate(&mut self, level: u32, digit: u32) -> u128 {
        let occupied = &mut self.occupied[level as usize];
        *occupied &= !(1 << digit);
        if *occupied == 0 {
            self.levels &= !(1 << level);
        }
        std::mem::replace(&mut self.slots[index(level, digit)].first, u128::MAX)
    }

    /// The level and digit of the slot that is due first.
    fn first_slot(&self) -> Option<(u32, u32)> {
        let level = self.levels.trailing_zeros();
        let occupied = self.occupied.get(level as usize)?;
        Some((level, occupied.trailing_zeros()))
    }
}

impl<E> Slot<E> {
    /// Puts the open block, which is full, aside and opens another.
    #[inline(never)]
    fn close_block(&mut self, spare: &mut Vec<Vec<Entry<E>>>) {
        let next = spare.pop().unwrap_or_else(new_block);
        self.full.push(std::mem::replace(&mut self.open, next));
    }
}

#[cfg(test)]
impl<E> Far<E> {
    /// What always holds, while the near events reach to `horizon`. Returns the number of entries.
    #[track_caller]
    pub(super) fn assert_invariants(&self, horizon: u128) -> usize {
        let mut count = 0;
        for (slot, place) in self.slots.iter().zip(0..) {
            let (level, digit) = (place / SLOTS, place % SLOTS);
            let entries = || slot.full.iter().flatten().chain(&slot.open);
            for entry in entries() {
                let key = entry.key();
                assert!(key >= horizon.max(self.base), "due before the horizon");
                let above = low_digits(level + 1);
                assert_eq!(key & !above, self.base & !above, "a higher digit differs");
                assert_eq!((key & above) >> (DIGIT_BITS * level), u128::from(digit));
            }
            let first = entries().map(Entry::key).min();
            assert_eq!(slot.first, first.unwrap_or(u128::MAX));
            let occupied = self.occupied[level as usize] >> digit & 1 == 1;
            assert_eq!(occupied, first.is_some());
            assert!(slot.full.iter().all(|block| block.len() == BLOCK));
            count += entries().count();
        }
        for (level, occupied) in self.occupied.iter().enumerate() {
            assert_eq!(self.levels >> level & 1 == 1, *occupied != 0);
        }
        count
    }

    /// Room for entries in all blocks.
    pub(super) fn room(&self) -> usize {
        let full = self.slots.iter().flat_map(|slot| &slot.full);
        let open = self.slots.iter().map(|slot| &slot.open);
        full.chain(open).chain(&self.spare).map(Vec::capacity).sum()
    }
}
