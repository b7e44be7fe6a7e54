//! Whether two arms differ: what the model predicts, what the published runs can tell, and how many
//! runs would decide it.
//!
//! ```text
//!   predicted   the same page over many seeds in both arms: mean and interval of the difference
//!   published   n, least and most of each arm ──► standard deviation ──► can the two be told apart?
//!   needed      runs of each arm until the predicted difference would be seen
//! ```
//!
//! A standard deviation is estimated from a range as least and most of `n` normal draws lie apart:
//! the constant d2 of quality control. Only two of the published runs of an arm are known, the
//! extreme ones, so nothing better is there.
use super::fetch::{Fetch, FetchError};
use super::world::fetch;

/// How many standard deviations least and most of `n` draws lie apart on average, for `n` from 2.
const RANGE_IN_DEVIATIONS: [f64; 9] =
    [1.128, 1.693, 2.059, 2.326, 2.534, 2.704, 2.847, 2.970, 3.078];
/// Quantile of the normal distribution for an interval of 95 %.
const TWO_SIDED_95: f64 = 1.960;
/// Quantile for a chance of 80 % to see a difference that is there.
const POWER_80: f64 = 0.842;

/// A difference of page times in seconds with its interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean; negative where the second arm is faster.
    pub mean_s: f64,
    /// Half the width of the interval.
    pub half_width_s: f64,
}

/// The runs of one arm, as far as they were published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runs {
    /// How many, 2..=10.
    pub count: u8,
    /// Median in seconds.
    pub median_s: f64,
    /// The shortest, in seconds.
    pub least_s: f64,
    /// The longest, in seconds.
    pub most_s: f64,
}

impl Difference {
    /// Whether the interval leaves 0 out.
    pub fn is_decided(self) -> bool {
        self.mean_s.abs() > self.half_width_s
    }

    /// Whether `seconds` lies in the interval.
    pub fn contains(self, seconds: f64) -> bool {
        (seconds - self.mean_s).abs() <= self.half_width_s
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:+.4} ± {:.4}", self.mean_s, self.half_width_s)
    }
}

impl Runs {
    /// The standard deviation of one run; nothing for fewer than 2 runs or more than 10.
    pub fn deviation_s(self) -> Option<f64> {
        let place = usize::from(self.count).checked_sub(2)?;
        Some((self.most_s - self.least_s) / RANGE_IN_DEVIATIONS.get(place)?)
    }
}

/// What published runs say of the second arm less the first.
pub fn published(first: Runs, second: Runs) -> Option<Difference> {
    let of_mean = |runs: Runs| Some(runs.deviation_s()?.powi(2) / f64::from(runs.count));
    let error = (of_mean(first)? + of_mean(second)?).sqrt();
    let mean_s = second.median_s - first.median_s;
    Some(Difference { mean_s, half_width_s: TWO_SIDED_95 * error })
}

/// Runs of each arm after which a difference of `seconds` would be seen with a chance of 80 %, when
/// single runs scatter as the published ones; nothing for no difference.
pub fn runs_needed(first: Runs, second: Runs, seconds: f64) -> Option<f64> {
    let variance = first.deviation_s()?.powi(2) + second.deviation_s()?.powi(2);
    let needed = (TWO_SIDED_95 + POWER_80).powi(2) * variance / seconds.powi(2);
    needed.is_finite().then(|| needed.ceil())
}

/// The second fetch less the first over `seeds`, each seed the same in both.
///
/// # Errors
/// As [`fetch`].
#[expect(clippy::cast_precision_loss, reason = "a page takes far less than 2^53 ns")]
pub fn predicted(
    first: &Fetch,
    second: &Fetch,
    seeds: impl Iterator<Item = u64>,
) -> Result<Option<Difference>, FetchError> {
    let mut differences = Vec::new();
    for seed in seeds {
        let seconds = |what: &Fetch| {
            let outcome = fetch(&Fetch { seed, ..what.clone() }, &mut |_| true)?;
            Ok::<f64, FetchError>(outcome.page.as_nanos() as f64 / 1e9)
        };
        differences.push(seconds(second)? - seconds(first)?);
    }
    Ok(interval(&differences))
}

#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^53 runs")]
pub(super) fn interval(differences: &[f64]) -> Option<Difference> {
    let count = differences.len() as f64;
    if count < 2.0 {
        return None;
    }
    let mean_s = differences.iter().sum::<f64>() / count;
    let squares: f64 = differences.iter().map(|one| (one - mean_s).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    Some(Difference { mean_s, half_width_s: TWO_SIDED_95 * error })
}

#[cfg(test)]
mod tests {
    use super::super::server::Page;
    use super::*;
    use firmware_core::m3_read::preset::Arm;

    /// M3-013 to M3-015.
    const ARM_1: Runs = Runs { count: 8, median_s: 18.97, least_s: 18.20, most_s: 24.22 };
    /// M3-016 to M3-018.
    const ARM_2: Runs = Runs { count: 5, median_s: 18.98, least_s: 17.83, most_s: 20.00 };

    const fn large_page(arm: Arm) -> Fetch {
        Fetch::of(arm, Page::with_length(751_823, 6_431))
    }

    /// 6.02 s over 2.847 and 2.17 s over 2.326: 2.11 and 0.93 s for one run, 0.86 s for the
    /// difference of the arms, so 0.01 s says nothing.
    #[test]
    fn the_published_runs_leave_undecided_whether_1472_bytes_gained_anything() {
        let difference = published(ARM_1, ARM_2).expect("both arms were run");
        assert!((difference.mean_s - 0.01).abs() < 1e-9);
        assert!((difference.half_width_s - 1.676).abs() < 0.01, "{difference:?}");
        assert!(!difference.is_decided());
    }

    /// M3-187 predicts 0.73 s by arithmetic: 785 tail READs of about 0.9 ms.
    #[test]
    fn the_predicted_gain_is_seven_tenths_of_a_second_and_within_what_was_published() {
        let (one, two) = (large_page(Arm::One), large_page(Arm::Two));
        let gain = predicted(&one, &two, 1..=4).expect("both arms are sound").expect("four seeds");
        assert!(gain.is_decided(), "{gain:?}");
        assert!((-0.80..-0.60).contains(&gain.mean_s), "{gain:?}");
        let seen = published(ARM_1, ARM_2).expect("both arms were run");
        assert!(seen.contains(gain.mean_s), "{gain:?} contradicts {seen:?}");
    }

    /// (1.96 + 0.842)² × (2.11² + 0.93²) / 0.7² = 85.6.
    #[test]
    fn some_ninety_runs_of_each_arm_would_decide_it() {
        let needed = runs_needed(ARM_1, ARM_2, -0.7).expect("there is a difference");
        assert!((85.0..=87.0).contains(&needed), "{needed}");
        assert_eq!(runs_needed(ARM_1, ARM_2, 0.0), None);
    }

    #[test]
    fn one_run_has_no_spread() {
        let single = Runs { count: 1, median_s: 5.0, least_s: 5.0, most_s: 5.0 };
        assert_eq!(single.deviation_s(), None);
        assert_eq!(published(single, ARM_2), None);
        assert_eq!(interval(&[1.0]), None);
    }
}
