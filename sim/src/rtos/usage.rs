//! Where the time of a core went: every nanosecond is busy, idle, or stalled.
use firmware_core::time::Duration;

/// The time of one core since switching on, or over a window ([`CoreUsage::over`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CoreUsage {
    /// Tasks made progress.
    pub busy: Duration,
    /// IDLE ran.
    pub idle: Duration,
    /// A flash write kept the core from doing anything.
    pub stalled: Duration,
}

impl CoreUsage {
    /// The whole time.
    pub const fn elapsed(self) -> Duration {
        self.busy.plus(self.idle).plus(self.stalled)
    }

    /// The time of the window that ends here and began at the `earlier` reading.
    #[must_use]
    pub const fn over(self, earlier: Self) -> Self {
        Self {
            busy: self.busy.minus(earlier.busy),
            idle: self.idle.minus(earlier.idle),
            stalled: self.stalled.minus(earlier.stalled),
        }
    }

    /// How much of the time was busy, in millionths, rounded down; zero of no time.
    pub fn busy_millionths(self) -> u64 {
        let whole = u128::from(self.elapsed().as_nanos());
        let busy = u128::from(self.busy.as_nanos()) * 1_000_000;
        busy.checked_div(whole).and_then(|share| u64::try_from(share).ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(busy: u64, idle: u64, stalled: u64) -> CoreUsage {
        CoreUsage {
            busy: Duration::from_millis(busy),
            idle: Duration::from_millis(idle),
            stalled: Duration::from_millis(stalled),
        }
    }

    #[test]
    fn the_busy_share_of_a_window_counts_only_the_window() {
        let window = usage(920, 80, 45).over(usage(800, 0, 45));
        assert_eq!(window.elapsed(), Duration::from_millis(200));
        assert_eq!(window.busy_millionths(), 600_000);
    }

    #[test]
    fn no_time_is_not_busy_and_the_longest_time_does_not_overflow() {
        assert_eq!(usage(0, 0, 0).busy_millionths(), 0);
        let whole = CoreUsage { busy: Duration::from_nanos(u64::MAX), ..CoreUsage::default() };
        assert_eq!(whole.busy_millionths(), 1_000_000);
    }
}
