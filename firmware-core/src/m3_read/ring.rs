//! The client's receive ring, as indices: how much may be asked for and where the next byte goes.
//! The 4 096 bytes themselves ($C000-$CFFF) belong to the driver.
//!
//! ```text
//!   head ──► oldest byte not consumed        tail ──► where the next byte goes
//!   free = (head - tail - 1) mod 4096        one place always stays empty
//! ```
//!
//! A READ asks for no more than fits, so no byte that arrives is ever dropped for want of room.
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Places in the ring; one of them always stays empty.
pub const RING_BYTES: u16 = 4_096;
const MASK: u16 = RING_BYTES - 1;

/// Head (consumer) and tail (producer), both below [`RING_BYTES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Ring {
    head: u16,
    tail: u16,
}

impl Ring {
    /// A ring without a byte in it.
    pub const EMPTY: Self = Self { head: 0, tail: 0 };

    /// Bytes that fit before the ring is full: 0..=4 095.
    pub const fn free(self) -> u16 {
        self.head.wrapping_sub(self.tail).wrapping_sub(1) & MASK
    }

    /// Bytes that wait for the consumer: 0..=4 095.
    pub const fn filled(self) -> u16 {
        self.tail.wrapping_sub(self.head) & MASK
    }

    /// Offset of the oldest byte that waits for the consumer.
    pub const fn head(self) -> u16 {
        self.head
    }

    /// Offset of the place that the next byte goes to.
    pub const fn tail(self) -> u16 {
        self.tail
    }

    /// Takes the next place; `None` when the ring is full.
    #[must_use]
    pub(super) const fn place(&mut self) -> Option<u16> {
        if self.free() == 0 {
            return None;
        }
        let at = self.tail;
        self.tail = (self.tail + 1) & MASK;
        Some(at)
    }

    /// Frees up to `count` of the oldest bytes and says how many there were.
    pub(super) const fn consume(&mut self, count: u16) -> u16 {
        let taken = if count < self.filled() { count } else { self.filled() };
        self.head = (self.head + taken) & MASK;
        taken
    }

    /// Whether both indices lie in the ring.
    pub(super) const fn holds(self) -> bool {
        self.head < RING_BYTES && self.tail < RING_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites client rules.
    #[test]
    fn an_empty_ring_takes_4095_bytes_and_then_no_more() {
        let mut ring = Ring::default();
        for at in 0..4_095 {
            assert_eq!(ring.place(), Some(at));
        }
        assert_eq!((ring.place(), ring.free(), ring.filled()), (None, 0, 4_095));
    }

    #[test]
    fn places_wrap_from_the_last_to_the_first() {
        let mut ring = Ring { head: 4_090, tail: 4_095 };
        assert_eq!(ring.place(), Some(4_095));
        assert_eq!(ring.place(), Some(0));
        assert_eq!(ring.filled(), 7);
    }

    /// Cites client rules.
    #[test]
    fn no_more_is_consumed_than_is_there() {
        let mut ring = Ring { head: 4_094, tail: 3 };
        assert_eq!(ring.consume(2), 2);
        assert_eq!(ring.consume(u16::MAX), 3);
        assert_eq!((ring.filled(), ring.free()), (0, 4_095));
    }
}
