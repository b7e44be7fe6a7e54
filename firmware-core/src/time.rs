//! Virtual or real time as whole nanoseconds: a 6502 cycle at 48 MHz is shorter than a microsecond.
//!
//! Nothing here reads a clock and nothing wraps: an instant past the end of time is [`Instant::NEVER`].
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A point in time: nanoseconds since the device was switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
pub struct Instant(u64);

/// A span of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
pub struct Duration(u64);

impl Instant {
    /// The moment the device was switched on.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens; the deadline of what has none.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds after switching on.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The instant `millis` milliseconds after switching on; [`Instant::NEVER`] past the end of time.
    pub const fn from_millis(millis: u64) -> Self {
        Self::ZERO.after(Duration::from_millis(millis))
    }

    /// Nanoseconds since switching on.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole milliseconds since switching on, rounded down, as the firmware reads its clock.
    pub const fn as_millis(self) -> u64 {
        self.0 / Duration::MILLISECOND.0
    }

    /// This instant plus `span`; [`Instant::NEVER`] past the end of time.
    #[must_use]
    pub const fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// How long ago `earlier` was; zero when it lies in the future.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// The age of `earlier` as unsigned firmware arithmetic computes it: an instant in the future
    /// looks ages old.
    pub const fn wrapping_since(self, earlier: Self) -> Duration {
        Duration(self.0.wrapping_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// One thousandth of a second.
    pub const MILLISECOND: Self = Self(1_000_000);

    /// A span of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A span of `micros` microseconds; the longest span there is when that is too much.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// A span of `millis` milliseconds; the longest span there is when that is too much.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// The span in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span in whole milliseconds, rounded down.
    pub const fn as_millis(self) -> u64 {
        self.0 / Self::MILLISECOND.0
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Both spans, one after the other; the longest span there is when that is too much.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left of this span after `other`; zero when `other` is longer.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// This span `count` times; the longest span there is when that is too much.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_past_the_end_is_never_and_does_not_wrap() {
        assert_eq!(Instant::NEVER.after(Duration::MILLISECOND), Instant::NEVER);
        assert_eq!(Instant::from_millis(u64::MAX), Instant::NEVER);
    }

    #[test]
    fn the_age_of_a_future_instant_is_zero_or_ages_as_the_caller_asks() {
        let (now, later) = (Instant::from_millis(5), Instant::from_millis(6));
        assert_eq!(now.since(later), Duration::ZERO);
        assert!(now.wrapping_since(later) > Duration::from_millis(1 << 40));
    }

    #[test]
    fn milliseconds_are_rounded_down_as_the_firmware_clock_does() {
        assert_eq!(Instant::from_nanos(1_999_999).as_millis(), 1);
    }
}
