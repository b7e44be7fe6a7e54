//! Worst cases by formula: the longest that a heartbeat can wait for the manager's loop, and the
//! longest that a READ can take, for every state there is and not only for those explored.
//!
//! ```text
//!   facts (configuration, costs, arrival curves) ──► segments between two looks at the queue
//!        └ a fact is missing ──► not bounded, and which      │ each: sum of terms, or a busy window
//!                                                            ▼
//!   bound = longest segment + packets ahead in the queue + the heartbeat's own decryption
//!        └──► Certificate ──► [`certificate::verify`], which shares no code with this
//! ```
//!
//! A segment is what the loop does between two looks at the tunnel queue; nothing interrupts it. A run
//! of packets that no budget bounds is a busy window: the least `L` with
//! `L = base + count(L) * each`, where `count(L) = burst + ceil(L / period)`.
//!
//! # Why no library for response times
//!
//! `response-time-analysis` is well kept, but its processors are work-conserving and choose among
//! jobs by a policy. This loop sleeps with work waiting and serves its queues in a fixed order; only
//! the arrival curve and the search for a fixed point would be left of the library, and they are
//! twenty lines.
//!
//! Clauses: WG-Q1, WG-Q2, WG-DISCO-1, WG-ADD-1, WG-CMM-1, WG-HB-1, WG-HB-2, ER-1.
pub mod certificate;
pub mod coverage;
pub mod heartbeat;
pub mod read;

use std::fmt;

use serde::{Deserialize, Serialize};

/// How often something may arrive: `burst` at once, and one more each `period_us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// At one instant.
    pub burst: u64,
    /// Microseconds from one to the next after the burst; 0 is never again.
    pub period_us: u64,
}

impl Curve {
    /// How many can arrive in a window of this length.
    pub fn count(self, window_us: u64) -> u64 {
        let later = if self.period_us == 0 { 0 } else { window_us.div_ceil(self.period_us) };
        self.burst.saturating_add(later)
    }
}

/// The least fixed point of `length = base + count(length) * each`; `None` when there is none below
/// `most_us`, as when more arrives than can be served.
pub fn busy_window(base_us: u64, each_us: u64, curve: Curve, most_us: u64) -> Option<u64> {
    let mut length = base_us;
    while length <= most_us {
        let next = base_us.saturating_add(curve.count(length).saturating_mul(each_us));
        if next == length {
            return Some(length);
        }
        length = next;
    }
    None
}

/// Why there is no bound: the smallest fact that would have to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBounded {
    /// The fact, as in "no budget on inbound initiations".
    pub missing: String,
}

impl fmt::Display for NotBounded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "not bounded: {}", self.missing)
    }
}

impl std::error::Error for NotBounded {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_window_ends_when_what_arrived_in_it_is_served() {
        let curve = Curve { burst: 2, period_us: 10 };
        // 5 + 2*3 = 11; in 11 two more arrive: 17; in 17 still two: done.
        assert_eq!(busy_window(5, 3, curve, 1_000), Some(17));
    }

    #[test]
    fn a_window_into_which_more_comes_than_goes_never_ends() {
        assert_eq!(busy_window(0, 10, Curve { burst: 1, period_us: 10 }, 1_000_000), None);
        assert_eq!(busy_window(0, 10, Curve { burst: 1, period_us: 0 }, 1_000_000), Some(10));
    }
}
