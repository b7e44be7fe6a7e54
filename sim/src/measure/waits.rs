//! A distribution of waits: three significant digits for the quantiles, exact for mean and maximum.
use firmware_core::time::Duration;
use hdrhistogram::Histogram;

/// Waits of one kind.
#[derive(Debug)]
pub struct Waits {
    microseconds: Histogram<u64>,
    sum_nanos: u128,
    longest: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        let microseconds = Histogram::new(3).expect("three significant digits are allowed");
        Self { microseconds, sum_nanos: 0, longest: Duration::ZERO }
    }
}

impl Waits {
    /// One more.
    pub fn add(&mut self, wait: Duration) {
        self.microseconds.record(wait.as_nanos() / 1_000).expect("the histogram grows as needed");
        self.sum_nanos += u128::from(wait.as_nanos());
        self.longest = self.longest.max(wait);
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.microseconds.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.microseconds.is_empty()
    }

    /// The wait in milliseconds that this share of a hundred does not exceed.
    pub fn percentile_ms(&self, percent: f64) -> f64 {
        super::figures::ratio(self.microseconds.value_at_percentile(percent).into(), 1_000)
    }

    /// The mean in milliseconds.
    pub fn mean_ms(&self) -> f64 {
        super::figures::ratio(self.sum_nanos, u128::from(self.microseconds.len()) * 1_000_000)
    }

    /// The longest in milliseconds.
    pub fn longest_ms(&self) -> f64 {
        super::figures::millis(self.longest)
    }
}
