//! How a host's clock runs against a device's: a straight line through pairs of stamps, with its
//! doubt.
//!
//! ```text
//!   host │        ·  /        offset  host time when the device's clock showed the first stamp
//!        │     · /·           drift   how much faster the host's clock runs
//!        │   ·/               ±       two standard errors of each
//!        └────────── device
//! ```
//!
//! A host stamps a line when it arrives, so the offset holds the delay of the serial line as well;
//! the fit cannot tell the two apart and says nothing about it. Sums are kept around the first pair,
//! because stamps since 1970 would leave no digits for milliseconds.
use std::fmt;

/// A straight line through pairs of stamps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockFit {
    /// Pairs.
    pub pairs: u64,
    /// The host's clock when the device's showed the first stamp, less that stamp, seconds.
    pub offset_s: f64,
    /// Two standard errors of the offset, seconds.
    pub offset_doubt_s: f64,
    /// How much faster the host's clock runs, parts per million.
    pub drift_ppm: f64,
    /// Two standard errors of the drift, parts per million.
    pub drift_doubt_ppm: f64,
}

/// Sums over pairs of stamps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockPairs {
    first: Option<(u64, u64)>,
    pairs: u64,
    mean_device: f64,
    mean_lag: f64,
    device_squares: f64,
    lag_squares: f64,
    products: f64,
}

const NANOS: f64 = 1e9;

#[expect(clippy::cast_precision_loss, reason = "nanoseconds of some days fit a double's 53 bits")]
fn seconds_between(from: u64, to: u64) -> f64 {
    if to >= from { (to - from) as f64 / NANOS } else { -((from - to) as f64 / NANOS) }
}

impl ClockPairs {
    /// Takes a pair of stamps, nanoseconds each.
    pub(super) fn add(&mut self, host: u64, device: u64) {
        let (first_host, first_device) = *self.first.get_or_insert((host, device));
        let x = seconds_between(first_device, device);
        let lag = seconds_between(first_host, host) - x;
        self.pairs += 1;
        let dx = x - self.mean_device;
        let dy = lag - self.mean_lag;
        self.mean_device += dx / self.count();
        self.mean_lag += dy / self.count();
        self.device_squares += dx * (x - self.mean_device);
        self.lag_squares += dy * (lag - self.mean_lag);
        self.products += dx * (lag - self.mean_lag);
    }

    #[expect(clippy::cast_precision_loss, reason = "as many pairs do not fit a file")]
    fn count(&self) -> f64 {
        self.pairs as f64
    }

    /// The line, from three pairs on that are not all at one instant.
    pub(super) fn fit(&self) -> Option<ClockFit> {
        let (host, device) = self.first?;
        if self.pairs < 3 || self.device_squares <= 0.0 {
            return None;
        }
        let slope = self.products / self.device_squares;
        let unexplained = (self.lag_squares - slope * self.products).max(0.0);
        let variance = unexplained / (self.count() - 2.0);
        let slope_error = (variance / self.device_squares).sqrt();
        let at_zero = variance
            * (1.0 / self.count() + self.mean_device * self.mean_device / self.device_squares);
        Some(ClockFit {
            pairs: self.pairs,
            offset_s: seconds_between(device, host) + self.mean_lag - slope * self.mean_device,
            offset_doubt_s: 2.0 * at_zero.sqrt(),
            drift_ppm: slope * 1e6,
            drift_doubt_ppm: 2.0 * slope_error * 1e6,
        })
    }
}

impl fmt::Display for ClockFit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, offset_s, offset_doubt_s, drift_ppm, drift_doubt_ppm } = self;
        write!(
            out,
            "host = device {offset_s:+.6} s ± {offset_doubt_s:.6} s, drift {drift_ppm:+.2} ± \
             {drift_doubt_ppm:.2} ppm, from {pairs} lines"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: u64 = 1_000_000;
    const EPOCH: u64 = 1_784_664_000_000_000_000;

    #[test]
    fn two_clocks_without_noise_give_offset_and_drift_exactly() {
        let mut pairs = ClockPairs::default();
        for second in 0..1_000_u64 {
            let device = 5_000 * MILLI + second * 1_000 * MILLI;
            pairs.add(EPOCH + device + second * 20_000, device);
        }
        let fit = pairs.fit().expect("a thousand pairs");
        assert!((fit.drift_ppm - 20.0).abs() < 1e-3, "{fit}");
        assert!((fit.offset_s - 1_784_664_000.0).abs() < 1e-5, "{fit}");
        assert!(fit.drift_doubt_ppm < 1e-3 && fit.offset_doubt_s < 1e-6, "{fit}");
    }

    /// A delay of 0 or 10 ms by turns has a standard deviation of 5 ms: over 1 000 pairs the line's
    /// start is known to 2 × 5 ms × sqrt(4 / 1000) = 0.63 ms.
    #[test]
    fn the_doubt_is_two_standard_errors() {
        let mut pairs = ClockPairs::default();
        for second in 0..1_000_u64 {
            let device = second * 1_000 * MILLI;
            pairs.add(EPOCH + device + second % 2 * 10 * MILLI, device);
        }
        let fit = pairs.fit().expect("a thousand pairs");
        assert!((fit.offset_doubt_s - 0.000_632).abs() < 0.000_02, "{fit}");
        assert!((fit.offset_s - 1_784_664_000.005).abs() < fit.offset_doubt_s, "{fit}");
        assert!(fit.drift_ppm.abs() < fit.drift_doubt_ppm, "{fit}");
    }

    #[test]
    fn two_pairs_or_one_instant_give_no_line() {
        let mut pairs = ClockPairs::default();
        pairs.add(EPOCH, 0);
        pairs.add(EPOCH + MILLI, MILLI);
        assert_eq!(pairs.fit(), None);
        let mut still = ClockPairs::default();
        for host in 0..9 {
            still.add(EPOCH + host, 7);
        }
        assert_eq!(still.fit(), None);
    }
}
