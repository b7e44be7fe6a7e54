//! The two figures that were fitted: from which pages, and what they say of the others.
use firmware_core::m3_read::preset::Arm;
use sim::read::Fetch;
use sim::read::fit::{Seen, besides_ms, off};
use sim::read::parameters::Parameters;
use sim::read::server::Page;

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
