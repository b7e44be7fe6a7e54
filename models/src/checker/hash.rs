//! One hash for tables and digests: folded multiplication, the same on every machine and in every
//! run.
use core::hash::{Hash, Hasher};

const SEED: u64 = 0x243F_6A88_85A3_08D3;
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The 64-bit hash of a value.
pub fn fold<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut fold = Fold { state: SEED, word: 0, bits: 0 };
    value.hash(&mut fold);
    fold.finish()
}

/// Both halves of the product of two words, one upon the other.
#[inline]
pub(super) const fn mix(left: u64, right: u64) -> u64 {
    let product = (left as u128).wrapping_mul(right as u128);
    let [low, high] = halves(product);
    low ^ high
}

#[inline]
const fn halves(product: u128) -> [u64; 2] {
    #[expect(clippy::cast_possible_truncation, reason = "each half has 64 bits")]
    let halves = [product as u64, (product >> 64) as u64];
    halves
}

/// Small values are gathered into words, and each word is mixed in once.
struct Fold {
    state: u64,
    /// What has been gathered, and its bits: below 64.
    word: u64,
    bits: u32,
}

impl Fold {
    #[inline]
    const fn stir(state: u64, word: u64) -> u64 {
        mix(state.rotate_left(23) ^ word, STEP)
    }

    /// Adds the lowest `bits` bits of `value`, 32 at most; the others are 0.
    #[inline]
    const fn put(&mut self, value: u64, bits: u32) {
        self.word |= value << self.bits;
        let gathered = self.bits + bits;
        if gathered < u64::BITS {
            self.bits = gathered;
        } else {
            self.state = Self::stir(self.state, self.word);
            self.word = value >> (u64::BITS - self.bits);
            self.bits = gathered - u64::BITS;
        }
    }

    /// A number that is nearly always small: one byte, or a mark and all of it.
    #[inline]
    fn put_small(&mut self, value: u64) {
        if value < 0xFF {
            self.put(value, 8);
        } else {
            self.put(0xFF, 8);
            self.write_u64(value);
        }
    }
}

impl Hasher for Fold {
    #[inline]
    fn finish(&self) -> u64 {
        let state = Self::stir(self.state, self.word ^ u64::from(self.bits) << 58);
        mix(state ^ STEP, SEED | 1)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        for byte in rest {
            self.put((*byte).into(), 8);
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.put(value.into(), 8);
    }

    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.put(value.into(), 16);
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.put(value.into(), 32);
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        if self.bits == 0 {
            self.state = Self::stir(self.state, value);
        } else {
            self.put(value & 0xFFFF_FFFF, 32);
            self.put(value >> 32, 32);
        }
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.put_small(value as u64);
    }

    /// The number of an enum's variant.
    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.put_small(value.cast_unsigned() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn neighbouring_values_differ_in_about_half_of_their_bits() {
        let flipped: u32 =
            (0_u64..1_000).map(|at| (fold(&at) ^ fold(&(at + 1))).count_ones()).sum();
        let mean = f64::from(flipped) / 1_000.0;
        assert!((28.0..36.0).contains(&mean), "{mean}");
    }

    #[test]
    fn the_order_and_the_length_of_bytes_matter() {
        assert_ne!(fold(&[1_u8, 2]), fold(&[2_u8, 1]));
        assert_ne!(fold(&[0_u8; 3][..]), fold(&[0_u8; 4][..]));
    }

    proptest! {
        /// However they fall into words: what differs in one place has another hash.
        #[test]
        fn a_difference_anywhere_is_another_hash(
            bytes in prop::collection::vec(any::<u8>(), 1..40),
            halves in prop::collection::vec(any::<u16>(), 0..9),
            word in any::<u64>(),
            bit in 0_u32..64,
            at in any::<prop::sample::Index>(),
        ) {
            let one = fold(&(&bytes, &halves, word, Some(true)));
            prop_assert_ne!(one, fold(&(&bytes, &halves, word ^ 1 << bit, Some(true))));
            prop_assert_ne!(one, fold(&(&bytes, &halves, word, None::<bool>)));
            let mut other = bytes.clone();
            let at = at.index(bytes.len());
            other[at] ^= 1 << (bit % 8);
            prop_assert_ne!(one, fold(&(&other, &halves, word, Some(true))));
        }
    }
}
