//! One hash for tables and digests: folded multiplication, the same on every machine and in every
//! run.
use core::hash::{Hash, Hasher};

const SEED: u64 = 0x243F_6A88_85A3_08D3;
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The 64-bit hash of a value.
pub fn fold<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut fold = Fold(SEED);
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

struct Fold(u64);

impl Fold {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = mix(self.0.rotate_left(23) ^ word, STEP);
    }
}

impl Hasher for Fold {
    #[inline]
    fn finish(&self) -> u64 {
        mix(self.0 ^ STEP, SEED | 1)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.add(value.into());
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.add(value.into());
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
