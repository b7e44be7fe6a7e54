//! What happens next: events wait here by instant, and equal instants leave in the order they were
//! put.
//!
//! ```text
//!   push ─┬─ before the horizon ──► near: one block, sorted ──► pop
//!         │                           ▲
//!         │                           │ refill: the first occupied slot of the lowest
//!         │                           │ occupied level, once it fits a block
//!         └─ from it on ──► far: level 21  [  0 │  1 │ … │ 63 ]   slots are not sorted
//!                                 …
//!                                level  0  [  0 │  1 │ … │ 63 ]
//! ```
//!
//! The key of an event is its instant followed by its sequence number, 128 bits read as 22 digits of
//! six bits. `far` files a key under the highest digit in which it differs from a base that lies
//! before all of them; a slot that holds more than a block is dealt out again over lower levels. An
//! event sinks 22 levels at most. In practice it is filed one to four times, each time at the end of
//! a block.
//!
//! # Why
//!
//! A heap compares and moves log(n) entries an event, at addresses that no cache foresees. Here the
//! work an event causes hardly depends on how many others wait: `benches/event_queue.rs` measures
//! both, from 128 to a million pending events.
//!
//! The sequence number is a `u64`, one an event: at a hundred million events a second it would last
//! 5 800 years, so it does not wrap. Every instant is allowed, the first and [`Instant::NEVER`]
//! included, and so is an event earlier than one that has left: it leaves next. Only many of those
//! at once are slow, since they are kept in one sorted row; a simulation has none.
//!
//! Memory follows the largest number of events that were pending at one time, plus at most one
//! block a slot. It does not grow while that number stays.
mod far;
#[cfg(test)]
mod tests;

use crate::random::Stream;
use far::Far;
use firmware_core::time::Instant;
use std::cmp::Reverse;

/// Events that are sorted at a time, and the capacity of a block.
///
/// Measured: 16 takes half as long again when a million events are pending, 64 twice as long when
/// about 64 are. From a hundred to ten thousand there is little between them.
const BLOCK: usize = 32;

/// Events in the order of their instants; equal instants in the order they were put.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// What is due before the horizon, the latest first: the next event is the last.
    near: Vec<Entry<E>>,
    /// The first key that does not belong to `near`.
    horizon: u128,
    /// What is due from the horizon on.
    far: Far<E>,
    /// Events put so far.
    sequence: u64,
    /// Where the order of equal instants is drawn from, if it is drawn.
    shuffle: Option<Box<Stream>>,
    len: usize,
}

/// An event with what it is sorted by.
#[derive(Clone, Debug)]
struct Entry<E> {
    at: Instant,
    /// The order among equal instants.
    tie: u64,
    event: E,
}

impl<E> Entry<E> {
    fn key(&self) -> u128 {
        u128::from(self.at.as_nanos()) << 64 | u128::from(self.tie)
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> EventQueue<E> {
    /// An empty queue.
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An empty queue with memory set aside for about `events` pending events.
    pub fn with_capacity(events: usize) -> Self {
        Self {
            near: Vec::with_capacity(BLOCK),
            horizon: u128::MAX,
            far: Far::with_blocks(events / BLOCK),
            sequence: 0,
            shuffle: None,
            len: 0,
        }
    }

    /// An empty queue whose equal instants leave in an order drawn from `stream`, for scenarios that
    /// ask whether anything depends on it. Different instants still leave in their order.
    ///
    /// Each event draws when it is put, so the same events under the same stream leave in the same
    /// order. Two that draw the same 32 bits leave in the order they were put.
    pub fn with_shuffled_ties(stream: Stream) -> Self {
        Self { shuffle: Some(Box::new(stream)), ..Self::new() }
    }

    /// Puts `event`, due at `at`.
    #[inline]
    pub fn push(&mut self, at: Instant, event: E) {
        let entry = Entry { at, tie: self.next_tie(), event };
        let key = entry.key();
        self.len += 1;
        if key < self.horizon && self.near.len() >= BLOCK {
            self.clear_near();
        }
        if key < self.horizon {
            // Counted, not bisected: comparisons that do not wait for each other are faster.
            let place = self.near.iter().map(|other| usize::from(other.key() > key)).sum();
            self.near.insert(place, entry);
        } else {
            self.far.put(entry);
        }
    }

    /// Takes the next event and its instant.
    #[inline]
    pub fn pop(&mut self) -> Option<(Instant, E)> {
        if self.near.is_empty() {
            self.refill();
        }
        let entry = self.near.pop()?;
        self.len -= 1;
        Some((entry.at, entry.event))
    }

    /// The instant of the next event.
    pub fn next_at(&self) -> Option<Instant> {
        self.near.last().map_or_else(|| self.far.first_at(), |entry| Some(entry.at))
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What decides between equal instants: the sequence number, behind a draw where ties are
    /// shuffled.
    fn next_tie(&mut self) -> u64 {
        let sequence = self.sequence;
        self.sequence += 1;
        self.shuffle.as_mut().map_or(sequence, |stream| {
            let drawn = stream.next_u64() & !u64::from(u32::MAX);
            drawn | (sequence & u64::from(u32::MAX))
        })
    }

    /// Files the near events with the far ones. Those before the base cannot be: see the module on
    /// events earlier than one that has left.
    #[inline(never)]
    fn clear_near(&mut self) {
        self.horizon = self.far.base();
        let from_base = self.near.partition_point(|entry| entry.key() >= self.horizon);
        for entry in self.near.drain(..from_base) {
            self.far.put(entry);
        }
    }

    /// Fills `near`, which is empty, with the next block, unless nothing is pending.
    #[inline(never)]
    fn refill(&mut self) {
        if let Some(horizon) = self.far.take_block(&mut self.near) {
            // Events put in order come in order, which is then the order wanted.
            self.near.reverse();
            self.near.sort_unstable_by_key(|entry| Reverse(entry.key()));
            self.horizon = horizon;
        }
    }
}
