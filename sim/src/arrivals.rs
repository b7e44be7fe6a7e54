//! Arrival trains: at which instants something arrives, without rounding that adds up.
use firmware_core::time::{Duration, Instant};

use crate::random::Stream;
use crate::scenario::{Arrivals, Pattern};

/// Nanoseconds in the thousand seconds that rates are given for.
const KILOSECOND_NANOS: u128 = 1_000_000_000_000;

/// A train that is being worked off.
#[derive(Clone, Debug)]
pub struct Train {
    arrivals: Arrivals,
    chance: Stream,
    next: u64,
    last: Instant,
}

impl Train {
    /// The train from its beginning; `chance` decides a Poisson train's distances.
    pub fn new(arrivals: Arrivals, chance: Stream) -> Self {
        let last = arrivals.from;
        Self { arrivals, chance, next: 0, last }
    }

    fn instant(&mut self) -> Option<Instant> {
        let from = self.arrivals.from;
        let after = |nanos: u128| {
            from.after(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
        };
        let number = u128::from(self.next);
        match &self.arrivals.pattern {
            Pattern::Even { per_kilosecond: 0 } | Pattern::Poisson { per_kilosecond: 0 } => None,
            Pattern::Even { per_kilosecond } => {
                Some(after(number * KILOSECOND_NANOS / u128::from(*per_kilosecond)))
            }
            Pattern::Poisson { per_kilosecond } => {
                let mean = KILOSECOND_NANOS / u128::from(*per_kilosecond);
                let mean = Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX));
                Some(self.last.after(self.chance.exponential(mean)))
            }
            Pattern::Every(distance) => Some(after(number * u128::from(distance.as_nanos()))),
            Pattern::Burst => Some(from),
            Pattern::Recorded { offsets, period } => {
                let length = u128::try_from(offsets.len()).unwrap_or(u128::MAX);
                let round = number.checked_div(length)?;
                let offset = offsets.get(usize::try_from(number % length).ok()?)?;
                Some(after(round * u128::from(period.as_nanos())).after(*offset))
            }
        }
    }
}

/// The instants, one after the other.
impl Iterator for Train {
    type Item = Instant;

    fn next(&mut self) -> Option<Instant> {
        if self.next >= self.arrivals.count {
            return None;
        }
        let at = self.instant().filter(|at| *at < self.arrivals.until)?;
        self.next += 1;
        self.last = at;
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Streams;

    fn train(pattern: Pattern, count: u64) -> Train {
        let arrivals = Arrivals { pattern, from: Instant::ZERO, until: Instant::NEVER, count };
        Train::new(arrivals, Streams::new(1).of("test", "arrivals"))
    }

    /// 600 a second is a period of no whole number of nanoseconds.
    #[test]
    fn an_even_train_does_not_drift() {
        let mut even = train(Pattern::Even { per_kilosecond: 600_000 }, u64::MAX);
        assert_eq!(even.nth(600 * 3_600), Some(Instant::from_millis(3_600_000)));
    }

    /// Case 33: gaps do not add up, and a second round goes on from the first.
    #[test]
    fn a_recorded_train_goes_round_by_round_and_keeps_file_order_at_equal_times() {
        let micros = [1_000, 1_000, 1_000, 1_000, 334_333];
        let offsets = micros.iter().map(|micros| Duration::from_micros(*micros)).collect();
        let period = Duration::from_micros(1_000_000);
        let all: Vec<_> = train(Pattern::Recorded { offsets, period }, 15)
            .map(|at| at.as_nanos() / 1_000)
            .collect();
        assert_eq!(all.len(), 15);
        assert_eq!([all[4], all[9], all[14]], [334_333, 1_334_333, 2_334_333]);
        let distance = Duration::from_micros(33_333);
        let last = train(Pattern::Every(distance), 108_000).last();
        assert_eq!(last, Some(Instant::from_nanos(3_599_930_667_000)));
    }

    #[test]
    fn a_train_ends_at_its_count_or_its_end() {
        assert_eq!(train(Pattern::Burst, 40).count(), 40);
        assert_eq!(train(Pattern::Even { per_kilosecond: 0 }, 40).count(), 0);
        let mut bounded = train(Pattern::Every(Duration::from_millis(100)), u64::MAX);
        bounded.arrivals.until = Instant::from_millis(300);
        assert_eq!(bounded.count(), 3);
    }

    #[test]
    fn a_poisson_train_has_its_mean() {
        let count = train(Pattern::Poisson { per_kilosecond: 600_000 }, u64::MAX)
            .take_while(|at| *at < Instant::from_millis(100_000))
            .count();
        assert!((59_000..61_000).contains(&count), "{count} in 100 s at 600 a second");
    }
}
