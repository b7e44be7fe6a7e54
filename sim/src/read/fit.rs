//! The two figures that cannot be counted or measured by themselves, found from page times: what
//! the stopwatch saw besides the fetch, and what the consumer does with each byte.
//!
//! ```text
//!   page time = everything else + besides + bytes × consume / clock
//!                                 └── on one page both are the same in every arm: only their sum shows
//! ```
//!
//! So one page leaves a line of pairs, each as good as the other, and a second figure is needed
//! from elsewhere: a second page, or a count. What each choice predicts of pages it has not seen is
//! the blind test.
use super::fetch::{Fetch, FetchError};
use super::parameters::Parameters;
use super::world::fetch;

/// A page time that was measured, and the fetch that should take as long.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The fetch.
    pub fetch: Fetch,
    /// Seconds.
    pub seconds: f64,
}

/// How far the prediction of a page time is off, as a share of what was measured.
///
/// # Errors
/// As [`fetch`].
pub fn off(seen: &Seen, besides_ms: u64, consume: u64) -> Result<f64, FetchError> {
    Ok(seconds(&seen.fetch, besides_ms, consume)? / seen.seconds - 1.0)
}

/// `besides_ms` that brings the page times nearest to these, with `consume` cycles a byte: by least
/// squares of what they are off by, each as a share of its own time. 0 where none would.
///
/// # Errors
/// As [`fetch`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is rounded and ≥ 0"
)]
pub fn besides_ms(seen: &[Seen], consume: u64) -> Result<u64, FetchError> {
    let (mut missing, mut weights) = (0.0, 0.0);
    for one in seen {
        let weight = one.seconds.powi(-2);
        missing += weight * (one.seconds - seconds(&one.fetch, 0, consume)?);
        weights += weight;
    }
    Ok(if weights > 0.0 { (missing / weights * 1e3).round().max(0.0) as u64 } else { 0 })
}

#[expect(clippy::cast_precision_loss, reason = "a page takes far less than 2^53 ns")]
fn seconds(what: &Fetch, besides_ms: u64, consume: u64) -> Result<f64, FetchError> {
    let parameters = Parameters { besides_ms, consume_cycles_per_byte: consume, ..what.parameters };
    let outcome = fetch(&Fetch { parameters, ..what.clone() }, &mut |_| true)?;
    Ok(outcome.page.as_nanos() as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::super::server::Page;
    use super::*;
    use firmware_core::m3_read::preset::Arm;

    /// Cycles that were counted for the consumer's loop (M3-176), and those that were fitted.
    const COUNTED: u64 = 228;
    const FITTED: u64 = 287;

    fn seen(page: Page, seconds: [f64; 3]) -> Vec<Seen> {
        let arms = Arm::ALL.into_iter().zip(seconds);
        arms.map(|(arm, seconds)| Seen { fetch: Fetch::of(arm, page), seconds }).collect()
    }

    /// M3-010, M3-013, M3-016.
    fn large() -> Vec<Seen> {
        seen(Page::with_length(751_823, 6_431), [210.13, 18.97, 18.98])
    }

    /// M3-001, M3-004, M3-007.
    fn small() -> Vec<Seen> {
        seen(Page::with_length(29_764, 1_500), [12.89, 5.50, 5.06])
    }

    fn percent_off(seen: &[Seen], besides_ms: u64, consume: u64) -> Vec<f64> {
        let off = |one| off(one, besides_ms, consume).expect("the arms are sound") * 100.0;
        seen.iter().map(off).collect()
    }

    fn within(off: &[f64], percent: f64) -> bool {
        off.iter().all(|off| off.abs() <= percent)
    }

    /// What the shipped pair is: `besides_ms` from a third page (M3-022), then the consumer from
    /// the large page. The small page went into neither.
    #[test]
    fn the_shipped_pair_is_the_fit_to_the_third_and_the_large_page_and_holds_on_the_small_one() {
        let third =
            [Seen { fetch: Fetch::of(Arm::Two, Page::with_length(14_181, 1_500)), seconds: 5.0 }];
        let besides = besides_ms(&third, FITTED).expect("the arm is sound");
        assert!(besides.abs_diff(Parameters::BENCH.besides_ms) <= 20, "{besides}");
        let at_fit = besides_ms(&large(), FITTED).expect("the arms are sound");
        assert!(at_fit.abs_diff(Parameters::BENCH.besides_ms) <= 100, "{at_fit}");
        let blind = percent_off(&small(), Parameters::BENCH.besides_ms, FITTED);
        assert!(within(&blind, 5.0), "{blind:?}");
    }

    /// On one page the two figures are one: 59 cycles a byte more are as good as 1 s besides.
    #[test]
    fn one_page_cannot_tell_the_two_figures_apart() {
        for page in [large(), small()] {
            let spread = |consume| {
                let besides = besides_ms(&page, consume).expect("the arms are sound");
                let off = percent_off(&page, besides, consume);
                off.iter().fold(0.0_f64, |most, off| most.max(off.abs()))
            };
            assert!((spread(COUNTED) - spread(FITTED)).abs() < 0.5);
        }
    }

    /// Blind from one page with the count: the small page fitted misses arm 2 of the large one, the
    /// large page fitted misses the whole small one. The count is not the whole of it.
    #[test]
    fn with_the_counted_cycles_no_page_predicts_the_other_within_five_percent() {
        let from_small = besides_ms(&small(), COUNTED).expect("the arms are sound");
        let large_off = percent_off(&large(), from_small, COUNTED);
        assert!(within(&large_off[..2], 5.0) && !within(&large_off[2..], 5.0), "{large_off:?}");
        let from_large = besides_ms(&large(), COUNTED).expect("the arms are sound");
        let small_off = percent_off(&small(), from_large, COUNTED);
        assert!(small_off.iter().all(|&off| off > 5.0), "{small_off:?}");
    }

    /// The other way round with the fitted cycles: `besides_ms` from the small page alone.
    #[test]
    fn with_the_fitted_cycles_the_small_page_alone_predicts_the_large_one() {
        let besides = besides_ms(&small(), FITTED).expect("the arms are sound");
        let blind = percent_off(&large(), besides, FITTED);
        assert!(within(&blind, 5.0), "{besides}: {blind:?}");
    }
}
