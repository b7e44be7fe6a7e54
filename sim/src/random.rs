//! Chance comes from named streams: one for each (seed, component, purpose), and nothing else feeds
//! it.
//!
//! ```text
//!   seed ─┐
//!   "air" ├─ SipHash-2-4, 2 × 128 bits ─► key ─► ChaCha8 ─┬─ stream 0, block 0 …    draws in order
//!   "loss"┘                                               └─ stream i, block 2⁶³ …  draws of index i
//! ```
//!
//! A draw added anywhere else changes no other stream, so two runs that differ in one setting still
//! meet the same arrivals. Draws of an index are there without the draws before it, so packet `i` of
//! a flood can be made when it is looked at.
//!
//! # Why
//!
//! Everything is integer arithmetic. The standard library's `ln` may differ in its last bit from one
//! platform to the next, and one nanosecond is enough to exchange two events. For the same reason
//! probabilities are fractions.
use firmware_core::time::Duration;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;

/// The word of its `ChaCha8` stream at which the draws of an index begin: block 2⁶³. Draws in order
/// share stream 0 with index 0, and never get there.
const INDEX_START: u128 = 1 << 67;

/// All streams of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// The streams of a run with this seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The stream that `component` uses for `purpose`, from its start: asked twice, it gives the
    /// same draws twice.
    pub fn of(&self, component: &str, purpose: &str) -> Stream {
        let mut key = [0; 32];
        for (half, number) in key.chunks_exact_mut(16).zip(0..) {
            let mut hasher = SipHasher24::new_with_keys(0, number);
            hasher.write(&self.seed.to_le_bytes());
            // The length keeps ("ab", "c") and ("a", "bc") apart.
            hasher.write(&(component.len() as u64).to_le_bytes());
            hasher.write(component.as_bytes());
            hasher.write(purpose.as_bytes());
            half.copy_from_slice(&hasher.finish128().as_bytes());
        }
        Stream { rng: ChaCha8Rng::from_seed(key) }
    }
}

/// A named sequence of draws.
#[derive(Clone, Debug)]
pub struct Stream {
    rng: ChaCha8Rng,
}

impl Stream {
    /// The draws that belong to `index`, found without drawing those of any other; it takes the same
    /// time for every index. How far `self` has been drawn does not matter.
    #[must_use]
    pub fn at(&self, index: u64) -> Self {
        let mut rng = ChaCha8Rng::from_seed(self.rng.get_seed());
        rng.set_stream(index);
        rng.set_word_pos(INDEX_START);
        Self { rng }
    }

    /// Any number, each as likely as any other.
    pub fn next_u64(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// A number below `bound`, each as likely as any other; 0 when there is none.
    ///
    /// Takes one draw, and another one with probability below `bound` / 2⁶⁴.
    pub fn below(&mut self, bound: u64) -> u64 {
        let (mut number, mut rest) = wide_product(self.next_u64(), bound);
        if rest < bound {
            // 2⁶⁴ mod bound draws too many reach some of the numbers (Lemire, 2019).
            let surplus = bound.wrapping_neg() % bound;
            while rest < surplus {
                (number, rest) = wide_product(self.next_u64(), bound);
            }
        }
        number
    }

    /// Whether something of probability `ratio` happens, to within 2⁻⁶⁴; 0 never does, 1 always.
    ///
    /// Takes one draw, whatever the ratio, and what happens under a ratio happens under every
    /// greater one too: two runs that differ in a ratio differ in nothing else.
    pub fn chance(&mut self, ratio: Ratio) -> bool {
        let draw = u128::from(self.next_u64());
        draw * u128::from(ratio.denominator) < u128::from(ratio.numerator) << 64
    }

    /// `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    /// Overwrites all of `bytes`.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.rng.fill_bytes(bytes);
    }

    /// How long until the next of events that come independently of one another, `mean` apart on
    /// average: exponentially distributed, rounded down to the nanosecond, at most 44.4 times the
    /// mean, and the longest span there is when that is too much.
    ///
    /// Takes one draw, whatever the mean, and is proportional to it: two runs that differ in a rate
    /// see the same arrivals, closer together.
    pub fn exponential(&mut self, mean: Duration) -> Duration {
        let means = u128::from(minus_ln(self.next_u64()));
        let nanos = (u128::from(mean.as_nanos()) * means) >> FRACTION_BITS;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The high and the low word of a product.
#[expect(clippy::cast_possible_truncation, reason = "the two halves are what is asked for")]
const fn wide_product(a: u64, b: u64) -> (u64, u64) {
    let product = a as u128 * b as u128;
    ((product >> 64) as u64, product as u64)
}

/// A probability as a fraction, from 0 to 1. Compared as written: 2/4 is not 1/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// The probability of what cannot happen.
    pub const NEVER: Self = Self { numerator: 0, denominator: 1 };

    /// `numerator` in `denominator`; none when the denominator is zero or the fraction exceeds one.
    pub const fn new(numerator: u64, denominator: u64) -> Option<Self> {
        if denominator > 0 && numerator <= denominator {
            Some(Self { numerator, denominator })
        } else {
            None
        }
    }

    /// The number above the line.
    pub const fn numerator(self) -> u64 {
        self.numerator
    }

    /// The number below the line, at least 1.
    pub const fn denominator(self) -> u64 {
        self.denominator
    }
}

/// Fraction bits of [`minus_ln`]: its integer part, at most 44, needs the other six.
const FRACTION_BITS: u32 = 58;
/// Equal steps from 1 to 2 at which logarithms are tabulated.
const STEPS: usize = 64;
const STEP_BITS: u32 = STEPS.ilog2();
const LN_2: u64 = ln_of_step(STEPS);
const LN: [u64; STEPS] = {
    let mut table = [0; STEPS];
    let mut step = 0;
    while step < STEPS {
        table[step] = ln_of_step(step);
        step += 1;
    }
    table
};

/// -ln(`draw` / 2⁶⁴), where 0 counts as 1; the error is below 10⁻¹¹.
///
/// ```text
///   draw / 2⁶⁴ = 2^-(zeros + 1) × (1 + step / 64) × (1 + rest),    0 ≤ rest < 1/64
/// ```
fn minus_ln(draw: u64) -> u64 {
    let draw = draw.max(1);
    let zeros = draw.leading_zeros();
    let mantissa = draw << zeros;
    let leading = mantissa >> (u64::BITS - 1 - STEP_BITS); // 64 + step
    let rest = (mantissa << (STEP_BITS + 1)) / leading; // the shift drops the leading digits
    let step = leading as usize % STEPS;
    // The largest draws have a logarithm below the last bit, where the table is rounded.
    ((u64::from(zeros) + 1) * LN_2).saturating_sub(LN[step] + ln_1p(rest))
}

/// ln(1 + `rest` / 2⁶⁴) for less than 1/64, by its series.
fn ln_1p(rest: u64) -> u64 {
    let times_rest = |factor| wide_product(rest, factor).0;
    let quarter = u64::MAX / 4 - times_rest(u64::MAX / 5);
    let third = u64::MAX / 3 - times_rest(quarter);
    let half = u64::MAX / 2 - times_rest(third);
    (rest - times_rest(times_rest(half))) >> (u64::BITS - FRACTION_BITS)
}

/// ln(1 + `step` / 64) = 2 artanh(`step` / (128 + `step`)), by its series.
#[expect(clippy::cast_possible_truncation, reason = "the sum is below ln 2, so it fits 64 bits")]
const fn ln_of_step(step: usize) -> u64 {
    let argument = ((step as u128) << 64) / (2 * STEPS + step) as u128;
    let square = (argument * argument) >> 64;
    let (mut power, mut divisor, mut sum) = (argument, 1, 0);
    while power > 0 {
        sum += power / divisor;
        power = (power * square) >> 64;
        divisor += 2;
    }
    ((2 * sum) >> (u64::BITS - FRACTION_BITS)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::array::from_fn;

    const SECOND: Duration = Duration::from_millis(1_000);

    fn air_loss() -> Stream {
        Streams::new(42).of("air", "loss")
    }

    fn ratio(numerator: u64, denominator: u64) -> Ratio {
        Ratio::new(numerator, denominator).expect("the test means a probability")
    }

    /// The values were computed by another implementation, written from the two papers and checked
    /// against their test vectors.
    #[test]
    fn draws_of_a_seed_are_the_same_everywhere_and_for_ever() {
        let mut stream = air_loss();
        assert_eq!(stream.next_u64(), 0xe243_d1b7_875f_810d);
        assert_eq!(stream.next_u64(), 0x7dbf_4cde_e3d0_d544);
        assert_eq!(stream.next_u64(), 0xe931_eee3_1760_9a9e);
        assert_eq!(stream.at(7).next_u64(), 0x4f23_b9ec_08c4_afa5);
        assert_eq!(stream.at(7).bytes(), [0xa5, 0xaf, 0xc4, 0x08, 0xec]);
    }

    /// The values are -ln(draw / 2⁶⁴) of the draws above, computed to fifty digits.
    #[test]
    fn exponential_spans_of_a_seed_are_the_same_everywhere_and_for_ever() {
        let mut stream = air_loss();
        let spans = from_fn(|_| stream.exponential(SECOND).as_nanos());
        assert_eq!(spans, [123_470_924, 710_903_371, 93_302_210]);
    }

    #[test]
    fn every_part_of_a_name_makes_another_stream() {
        let first = |seed, component, purpose| Streams::new(seed).of(component, purpose).next_u64();
        let draws = [
            first(42, "air", "loss"),
            first(43, "air", "loss"),
            first(42, "bus", "loss"),
            first(42, "air", "delay"),
            first(42, "airl", "oss"),
            first(42, "", "airloss"),
        ];
        for (place, draw) in draws.iter().enumerate() {
            assert!(!draws[..place].contains(draw), "name {place} repeats an earlier stream");
        }
    }

    #[test]
    fn paired_runs_share_arrivals_whatever_else_they_draw() {
        let streams = Streams::new(7);
        let (mut one, mut other) = (streams.of("flood", "gap"), streams.of("flood", "gap"));
        let mut loss = streams.of("air", "loss");
        for _ in 0..1_000 {
            loss.next_u64();
            assert_eq!(one.exponential(SECOND), other.exponential(SECOND));
        }
    }

    #[test]
    fn draws_of_an_index_need_no_other_draw_and_disturb_none() {
        let mut stream = air_loss();
        let early: [u64; 4] = from_fn(|index| stream.at(index as u64).next_u64());
        let in_order: [u64; 4] = from_fn(|_| stream.next_u64());
        let late: [u64; 4] = from_fn(|index| stream.at(index as u64).next_u64());
        let nested = stream.at(u64::MAX).at(2).next_u64();

        assert_eq!(early, late);
        assert_eq!(nested, early[2]);
        assert!(early.iter().all(|draw| !in_order.contains(draw)));
        assert!(!early.contains(&stream.at(u64::MAX).next_u64()));
    }

    /// With three quarters of 2⁶⁴ as bound, a plain scaling would hit the multiples of three twice
    /// as often as the rest.
    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut stream = air_loss();
        let mut counts = [0_u32; 3];
        for _ in 0..30_000 {
            counts[(stream.below(3 << 62) % 3) as usize] += 1;
        }
        // Four standard deviations of a count: 4 × √(30 000 × 1/3 × 2/3) = 327.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 327), "{counts:?}");
    }

    #[test]
    fn there_is_no_number_below_zero_and_one_below_one() {
        let mut stream = air_loss();
        assert_eq!((stream.below(0), stream.below(1)), (0, 0));
    }

    #[test]
    fn chance_comes_as_often_as_the_ratio_says() {
        let mut stream = air_loss();
        let happened = (0..30_000).filter(|_| stream.chance(ratio(1, 3))).count();
        assert!(happened.abs_diff(10_000) < 327, "{happened}");
    }

    #[test]
    fn what_is_impossible_never_happens_and_what_is_certain_always_does() {
        let mut stream = air_loss();
        assert!((0..1_000).all(|_| !stream.chance(ratio(0, 1))));
        assert!((0..1_000).all(|_| stream.chance(ratio(u64::MAX, u64::MAX))));
    }

    #[test]
    fn a_ratio_lies_between_zero_and_one() {
        assert_eq!(Ratio::new(1, 0), None);
        assert_eq!(Ratio::new(0, 0), None);
        assert_eq!(Ratio::new(6, 5), None);
        assert_eq!((ratio(1, 5).numerator(), ratio(1, 5).denominator()), (1, 5));
    }

    #[test]
    fn exponential_spans_have_the_mean_and_the_median_of_their_distribution() {
        let mut stream = air_loss();
        let spans: Vec<u64> = (0..40_000).map(|_| stream.exponential(SECOND).as_nanos()).collect();
        let mean = spans.iter().sum::<u64>() / 40_000;
        let late = spans.iter().filter(|span| **span > 693_147_180).count();
        // Four standard deviations: 4 s / √40 000 = 20 ms, and 4 × √(40 000 / 4) = 400.
        assert!(mean.abs_diff(1_000_000_000) < 20_000_000, "{mean}");
        assert!(late.abs_diff(20_000) < 400, "{late}");
    }

    /// ln 2⁶⁴ = 44.361 419 555 836 4…
    #[test]
    fn the_longest_exponential_span_is_44_means_and_the_shortest_is_none() {
        let nanos = |draw| (u128::from(minus_ln(draw)) * 1_000_000_000_000) >> FRACTION_BITS;
        assert_eq!(nanos(0), 44_361_419_555_836);
        assert_eq!(nanos(1), 44_361_419_555_836);
        assert_eq!(nanos(u64::MAX), 0);
        assert_eq!(air_loss().exponential(Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn an_exponential_span_past_the_end_of_time_is_the_longest_there_is() {
        let longest = Duration::from_nanos(u64::MAX);
        let mut stream = air_loss();
        let spans: Vec<_> = (0..100).map(|_| stream.exponential(longest)).collect();
        assert!(spans.contains(&longest));
        assert!(spans.iter().any(|span| *span < longest));
    }

    proptest! {
        #[test]
        fn what_happens_under_a_ratio_happens_under_every_greater_one(
            seed: u64, denominator in 1..=u64::MAX, lower: u64, higher: u64,
        ) {
            let (lower, higher) = (lower.min(higher), lower.max(higher));
            prop_assume!(higher <= denominator);
            let (mut seldom, mut often) = (Streams::new(seed).of("a", "b"), Streams::new(seed).of("a", "b"));
            for _ in 0..32 {
                let happens = seldom.chance(ratio(lower, denominator));
                prop_assert!(often.chance(ratio(higher, denominator)) || !happens);
            }
        }

        #[test]
        fn a_number_below_a_bound_is_below_it(seed: u64, bound in 1..=u64::MAX) {
            prop_assert!(Streams::new(seed).of("a", "b").below(bound) < bound);
        }

        #[test]
        #[expect(clippy::cast_precision_loss, reason = "eleven digits are compared, not sixteen")]
        fn the_logarithm_is_right_to_eleven_digits(draw in 1..=u64::MAX, zeros in 0..64_u32) {
            let draw = (draw >> zeros).max(1);
            let expected = -(draw as f64 / 64_f64.exp2()).ln();
            let found = minus_ln(draw) as f64 / f64::from(FRACTION_BITS).exp2();
            prop_assert!((found - expected).abs() < 1e-11, "{draw}: {found} is not {expected}");
        }
    }
}
