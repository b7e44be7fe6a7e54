//! The replay window of one session: which counters have been accepted.
//!
//! A 32-bit map below the highest counter seen. Newer counters shift it; one up to 31 older and not
//! yet seen is accepted; everything else is refused. Older libraries had a window of four counters
//! and refused the counter 0, which sessions begin with; both are a configuration away (case 10).
//!
//! Clauses: WG-REPLAY-1.

/// Counters below the highest that can still be accepted.
pub const DEPTH: u64 = 32;

/// One session's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReplayWindow {
    /// One more than the highest counter accepted; 0 before the first.
    next: u64,
    /// Bit `i` stands for the counter `next - 1 - i`.
    seen: u32,
    /// Counters below the highest that are still looked at, with it: 1 to [`DEPTH`].
    depth: u64,
    accepts_zero: bool,
}

impl Default for ReplayWindow {
    fn default() -> Self {
        Self { next: 0, seen: 0, depth: DEPTH, accepts_zero: true }
    }
}

impl ReplayWindow {
    /// A window of `depth` counters, from 1 to [`DEPTH`], that may refuse the counter 0 (case 10).
    pub fn with(depth: u16, accepts_zero: bool) -> Self {
        Self { depth: u64::from(depth).clamp(1, DEPTH), accepts_zero, ..Self::default() }
    }

    /// Whether a packet with this counter may be delivered; if so, it is remembered. To be asked
    /// after the packet has been authenticated. The highest counter of all is refused, since
    /// nothing could follow it.
    #[must_use]
    pub fn accept(&mut self, counter: u64) -> bool {
        if counter == 0 && !self.accepts_zero {
            return false;
        }
        let Some(after) = counter.checked_add(1) else { return false };
        if after > self.next {
            let ahead = after - self.next;
            self.seen = if ahead < DEPTH { self.seen << ahead } else { 0 } | 1;
            self.next = after;
            return true;
        }
        let behind = self.next - after;
        let fresh = behind < self.depth && self.seen & (1 << behind) == 0;
        if fresh {
            self.seen |= 1 << behind;
        }
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    extern crate std;
    use std::collections::BTreeSet;

    proptest! {
        /// Cites WG-REPLAY-1, against the rule read naively.
        #[test]
        fn the_window_accepts_what_the_rule_says(counters in prop::collection::vec(0_u64..100, 0..200)) {
            let mut window = ReplayWindow::default();
            let mut accepted = BTreeSet::new();
            for counter in counters {
                let newest = accepted.last().copied();
                let allowed = !accepted.contains(&counter)
                    && newest.is_none_or(|newest: u64| counter + DEPTH > newest);
                prop_assert_eq!(window.accept(counter), allowed);
                if allowed {
                    accepted.insert(counter);
                }
            }
        }
    }

    /// Cites WG-REPLAY-1.
    #[test]
    fn a_packet_31_behind_is_accepted_and_one_32_behind_is_not() {
        let mut window = ReplayWindow::default();
        assert!(window.accept(100));
        assert!(window.accept(69) && !window.accept(68) && !window.accept(69));
        assert!(!window.accept(u64::MAX));
    }
}
