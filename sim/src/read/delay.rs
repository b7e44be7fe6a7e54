//! How much later than its median a call to the engine is answered: drawn from the quantiles that
//! were published, and nothing else.
//!
//! ```text
//!   share   0 ── 0.5    on time
//!         0.5 ── 0.9    evenly up to the 90th percentile
//!         0.9 ── 1      towards the latest, as much later for every halving of the share that is left
//! ```
//!
//! The logarithm is taken in sixteen doublings or fewer, by integer arithmetic: the same on every
//! machine.
use super::parameters::Parameters;
use crate::random::Stream;
use firmware_core::time::Duration;

/// The distribution of the excess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    p90_ns: u64,
    max_ns: u64,
}

const WHOLE: u64 = 1_000_000;

impl Excess {
    /// As the parameters have it.
    pub const fn new(parameters: &Parameters) -> Self {
        Self { p90_ns: parameters.excess_p90_us * 1_000, max_ns: parameters.excess_max_us * 1_000 }
    }

    /// Draws one.
    pub fn draw(self, stream: &mut Stream) -> Duration {
        Duration::from_nanos(self.at(stream.below(WHOLE)))
    }

    /// The excess at a share of a million.
    fn at(self, share: u64) -> u64 {
        match share {
            0..500_000 => 0,
            500_000..900_000 => self.p90_ns * (share - 500_000) / 400_000,
            _ => self.tail(share - 900_000),
        }
    }

    /// The excess in the upper tenth, `share` of 100 000 above its beginning: from the 90th
    /// percentile to the latest in equal ratios, linear between two doublings.
    fn tail(self, share: u64) -> u64 {
        if self.p90_ns == 0 || self.max_ns <= self.p90_ns {
            return self.p90_ns;
        }
        let doublings = self.doublings();
        // In hundred-thousandths of a doubling.
        let along = share * doublings / 100_000;
        let (whole, part) = (along / 100_000, along % 100_000);
        let base = self.p90_ns << whole;
        (base + base * part / 100_000).min(self.max_ns)
    }

    /// How many doublings lie between the 90th percentile and the latest, in hundred-thousandths.
    fn doublings(self) -> u64 {
        let mut whole = 0;
        while self.p90_ns << (whole + 1) <= self.max_ns && whole < 16 {
            whole += 1;
        }
        let base = self.p90_ns << whole;
        whole * 100_000 + (self.max_ns - base).min(base) * 100_000 / base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_quantiles_come_out() {
        let excess = Excess::new(&Parameters::BENCH);
        assert_eq!((excess.at(0), excess.at(500_000)), (0, 0));
        assert_eq!(excess.at(700_000), 265_000);
        assert_eq!(excess.at(900_000), 530_000);
        let latest = excess.at(999_999);
        assert!((4_600_000..=4_610_000).contains(&latest), "{latest}");
    }

    #[test]
    fn later_shares_are_never_earlier() {
        let excess = Excess::new(&Parameters::BENCH);
        let all: Vec<_> = (0..WHOLE).step_by(997).map(|share| excess.at(share)).collect();
        assert!(all.is_sorted());
    }

    #[test]
    fn no_excess_is_drawn_where_there_is_none() {
        let excess = Excess { p90_ns: 0, max_ns: 0 };
        assert!((0..WHOLE).step_by(997).all(|share| excess.at(share) == 0));
    }
}
