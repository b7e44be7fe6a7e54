//! Chance from named streams: a draw added elsewhere changes nothing here.
use std::hash::Hasher;

use firmware_core::time::Duration;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use siphasher::sip128::{Hasher128, SipHasher13};

/// A share, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// `numerator` of `denominator`; `None` unless it lies between nothing and all.
    pub fn new(numerator: u64, denominator: u64) -> Option<Self> {
        (denominator > 0 && numerator <= denominator).then_some(Self { numerator, denominator })
    }
}

/// All streams of one seed.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// The streams of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The stream of a component for a purpose.
    pub fn of(&self, component: &str, purpose: &str) -> Stream {
        let mut key = [0; 32];
        for (half, chunk) in key.chunks_exact_mut(16).enumerate() {
            let mut hasher = SipHasher13::new_with_keys(self.seed, half as u64);
            hasher.write(component.as_bytes());
            hasher.write(&[0]);
            hasher.write(purpose.as_bytes());
            chunk.copy_from_slice(&hasher.finish128().as_u128().to_le_bytes());
        }
        Stream { rng: ChaCha8Rng::from_seed(key) }
    }
}

/// One stream.
#[derive(Clone, Debug)]
pub struct Stream {
    rng: ChaCha8Rng,
}

impl Stream {
    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// Whether something happens that does so in this share of cases.
    pub fn chance(&mut self, ratio: Ratio) -> bool {
        u128::from(self.next_u64()) * u128::from(ratio.denominator)
            < u128::from(ratio.numerator) << 64
    }

    /// Random bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    /// Random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.rng.fill_bytes(bytes);
    }

    /// An exponentially distributed span.
    pub fn exponential(&mut self, mean: Duration) -> Duration {
        let unit = (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        Duration::from_nanos((-libm::log(1.0 - unit) * mean.as_nanos() as f64) as u64)
    }

    /// The stream's part that belongs to `index`.
    pub fn at(&self, index: u64) -> Self {
        let mut rng = self.rng.clone();
        rng.set_stream(index);
        rng.set_word_pos(0);
        Self { rng }
    }
}
