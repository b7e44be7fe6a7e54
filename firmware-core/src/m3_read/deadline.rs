//! Time as the client knows it: a 16-bit counter of about 10 ms units that runs down and wraps, and
//! the waits that are measured with it.
//!
//! CIA 2 divides the bus clock by 10 227 (timer A) and counts the underflows down from $FFFF (timer
//! B). The bus clock knows neither turbo nor a wrong 50/60 Hz bit, so a bound errs only on PAL, and
//! there to the long side (10.38 ms a unit). One clock reading is one step of the core; on the chip
//! it is three register reads (high, low, high again, repeated when the high byte moved).
//!
//! ```text
//!   push ── B ──► reply or ABORT ── post-abort ──► bit 2 clear or wedge
//!   accept of a block ── B ──► next block or ABORT
//! ```
//!
//! Clauses: ER-1, ER-1 N-1, ER-1 Clock.
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Bus cycles of one unit of the deadline clock.
pub const UNIT_CYCLES: u16 = 10_227;

/// Polls of a wait during which the clock may stand still before it counts as stopped.
///
/// One poll takes at least three bus cycles (the clock's own registers), so a clock that works has
/// moved after 3 409 of them at the latest, at any processor speed.
pub const STILL_POLLS_MAX: u16 = UNIT_CYCLES;

/// The longest bound a configuration may ask for: half the counter's range, so that a reading late
/// by minutes still shows the wait as over.
pub const BOUND_UNITS_MAX: u16 = 0x7FFF;

/// A wait in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Wait {
    started: u16,
    length: u16,
    furthest: u16,
    still_polls: u16,
}

/// What a clock reading says about a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Elapsed {
    /// The bound is not reached.
    Running,
    /// The bound is reached.
    Expired,
    /// The clock has not moved on for longer than a working clock can.
    Stopped,
}

impl Wait {
    /// A wait of `length` units from the reading `now`.
    pub const fn from(now: u16, length: u16) -> Self {
        Self { started: now, length, furthest: 0, still_polls: 0 }
    }

    /// A wait whose start has not been read yet; [`Wait::from`] replaces it.
    pub const fn unarmed(length: u16) -> Self {
        Self::from(0, length)
    }

    /// The bound in units.
    pub const fn length(self) -> u16 {
        self.length
    }

    /// Judges the reading `now`. Only a reading later than all before it counts as movement, so a
    /// clock that jumps to and fro is a stopped one, and every wait ends.
    pub const fn check(&mut self, now: u16) -> Elapsed {
        let elapsed = self.started.wrapping_sub(now);
        if elapsed >= self.length {
            return Elapsed::Expired;
        }
        if elapsed > self.furthest {
            self.furthest = elapsed;
            self.still_polls = 0;
            return Elapsed::Running;
        }
        self.still_polls += 1;
        if self.still_polls >= STILL_POLLS_MAX { Elapsed::Stopped } else { Elapsed::Running }
    }

    /// Whether the wait's own figures agree with each other.
    pub(super) const fn holds(self) -> bool {
        self.still_polls < STILL_POLLS_MAX && (self.furthest == 0 || self.furthest < self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites ER-1 Clock.
    #[test]
    fn a_wait_ends_at_its_bound_and_not_one_unit_before_across_the_wrap() {
        let mut wait = Wait::from(5, 1200);
        assert_eq!(wait.check(5_u16.wrapping_sub(1199)), Elapsed::Running);
        assert_eq!(wait.check(5_u16.wrapping_sub(1200)), Elapsed::Expired);
    }

    /// Cites ER-1 Clock.
    #[test]
    fn a_clock_that_stands_still_stops_the_wait_after_a_fixed_number_of_polls() {
        let mut wait = Wait::from(700, 4500);
        for _ in 1..STILL_POLLS_MAX {
            assert_eq!(wait.check(700), Elapsed::Running);
        }
        assert_eq!(wait.check(700), Elapsed::Stopped);
    }

    /// Cites ER-1 Clock.
    #[test]
    fn a_clock_that_jumps_to_and_fro_counts_as_stopped() {
        let mut wait = Wait::from(700, 4500);
        let readings = [690, 695].into_iter().cycle();
        let running = readings.take_while(|&now| wait.check(now) == Elapsed::Running).count();
        assert_eq!(running, usize::from(STILL_POLLS_MAX), "one poll moved it on, to 10 units");
    }

    /// Cites ER-1 Clock.
    #[test]
    fn a_slow_clock_is_not_a_stopped_one() {
        let mut wait = Wait::from(0, 3);
        for now in [0_u16, 1_u16.wrapping_neg(), 2_u16.wrapping_neg()] {
            for _ in 1..STILL_POLLS_MAX {
                assert_eq!(wait.check(now), Elapsed::Running);
            }
        }
        assert_eq!(wait.check(3_u16.wrapping_neg()), Elapsed::Expired);
    }
}
