//! The same data packet arrives directly and through the relay; the second copy is recognised by
//! its header before anything is decrypted.
//!
//! ```text
//!   receiver index, counter ──► in the ring? ── yes ─► drop, cheap
//!                                   └─ no ─► overwrite the oldest entry, decrypt
//! ```
//!
//! An entry lives for as many recorded packets as the ring is long: the ring works while
//! `packets per second * relay delay in seconds < length`, and not at all beyond.
//!
//! Clauses: WG-DEDUP-1.

/// Entries that the ring can have; the configuration chooses how many it uses.
pub const CAPACITY: usize = 64;

/// The last data packets seen, by receiver index and counter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DedupRing {
    entries: [(u32, u64); CAPACITY],
    length: usize,
    oldest: usize,
}

impl DedupRing {
    /// A ring of `length` entries, at least 1 and at most [`CAPACITY`]. All start as receiver 0,
    /// which no session is ever given.
    pub fn new(length: u16) -> Self {
        let length = usize::from(length).clamp(1, CAPACITY);
        Self { entries: [(0, 0); CAPACITY], length, oldest: 0 }
    }

    /// Whether this packet is in the ring.
    pub fn holds(&self, receiver: u32, counter: u64) -> bool {
        self.entries[..self.length].contains(&(receiver, counter))
    }

    /// Whether this packet is a copy of one in the ring; if not, it is recorded.
    pub fn is_copy(&mut self, receiver: u32, counter: u64) -> bool {
        let known = self.holds(receiver, counter);
        if !known {
            self.entries[self.oldest] = (receiver, counter);
            self.oldest = (self.oldest + 1) % self.length;
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites WG-DEDUP-1.
    #[test]
    fn receiver_and_counter_both_decide() {
        let mut ring = DedupRing::new(16);
        assert!(!ring.is_copy(1, 7));
        assert!(!ring.is_copy(2, 7) && !ring.is_copy(1, 8));
        assert!(ring.is_copy(1, 7));
    }

    /// Cites WG-DEDUP-1: a hit is not recorded again, so it does not push others out.
    #[test]
    fn an_entry_lives_for_as_many_new_packets_as_the_ring_is_long() {
        let mut ring = DedupRing::new(16);
        for counter in 0..16 {
            assert!(!ring.is_copy(1, counter));
            assert!(counter == 0 || ring.is_copy(1, counter - 1));
        }
        assert!(ring.is_copy(1, 0));
        assert!(!ring.is_copy(1, 16) && !ring.is_copy(1, 0));
    }
}
