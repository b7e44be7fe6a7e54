//! The compact form of states. It is exact: two states have the same code only when they are equal.
//!
//! ```text
//!   Packed      the state is a machine word           8 bytes
//!   Collapsed   three parts, each stored once and numbered
//!               (core, device, world) = three numbers  12 bytes, and the parts
//!   Digest      64 bits of a hash: lossy, and called so
//! ```
//!
//! Why parts are numbered: the cores keep their fields to themselves, so nobody can write them out
//! and read them back. But a system reaches far fewer core states than pairs of core and
//! surroundings, and three 32-bit numbers are as exact as the whole state.
use core::hash::{Hash, Hasher};
use std::collections::VecDeque;
use std::sync::Arc;

use super::hash::{fold, mix};
use super::visited::Slots;

/// Turns states into codes and back.
pub trait Codec: Send + Sync {
    /// The working form.
    type State;
    /// The compact form.
    type Code: Copy + Eq + Send + Sync;

    /// Whether different states always have different codes.
    const EXACT: bool;

    /// The code of a state, if it can have been met; `None` means that it surely was not.
    fn find(&self, state: &Self::State) -> Option<Self::Code>;

    /// The code of a state.
    fn code(&mut self, state: &Self::State) -> Self::Code;

    /// A hash of a code.
    fn hash(code: Self::Code) -> u64;

    /// The state with this code and number; `None` when it is not kept (any more).
    fn state(&self, number: u32, code: Self::Code) -> Option<Self::State>;

    /// Told of each new state, in the order of their numbers.
    fn keep(&mut self, _state: Self::State) {}

    /// States with lower numbers are not asked for any more.
    fn forget_below(&mut self, _number: u32) {}

    /// Bytes kept beside the codes.
    fn bytes(&self) -> usize {
        0
    }
}

/// A state that fits a machine word.
pub trait Word: Copy + Send + Sync {
    /// The word; different states have different words.
    fn word(self) -> u64;
    /// The state of a word made by [`Word::word`].
    fn from_word(word: u64) -> Self;
}

impl Word for u64 {
    fn word(self) -> u64 {
        self
    }

    fn from_word(word: u64) -> Self {
        word
    }
}

/// The codec of states that fit a machine word.
#[derive(Debug)]
pub struct Packed<S>(core::marker::PhantomData<fn() -> S>);

impl<S> Default for Packed<S> {
    fn default() -> Self {
        Self(core::marker::PhantomData)
    }
}

impl<S: Word> Codec for Packed<S> {
    type State = S;
    type Code = u64;
    const EXACT: bool = true;

    #[inline]
    fn find(&self, state: &S) -> Option<u64> {
        Some(state.word())
    }

    #[inline]
    fn code(&mut self, state: &S) -> u64 {
        state.word()
    }

    #[inline]
    fn hash(code: u64) -> u64 {
        mix(code ^ 0xA5A5_5A5A_0F0F_F0F0, 0x9E37_79B9_7F4A_7C15)
    }

    #[inline]
    fn state(&self, _number: u32, code: u64) -> Option<S> {
        Some(S::from_word(code))
    }
}

/// Values stored once each, by number.
struct Interner<T> {
    values: Vec<T>,
    slots: Slots,
    heap_bytes: usize,
}

impl<T: Eq + Hash> Interner<T> {
    fn new() -> Self {
        Self { values: Vec::new(), slots: Slots::new(), heap_bytes: 0 }
    }

    fn find(&self, value: &T) -> Result<u32, (u64, usize)> {
        let hash = fold(value);
        self.slots.find(hash, |at| self.values[at as usize] == *value).map_err(|slot| (hash, slot))
    }

    fn number(&mut self, value: &T, heap_bytes: usize) -> u32
    where
        T: Clone,
    {
        self.find(value).unwrap_or_else(|(hash, place)| {
            let number =
                u32::try_from(self.values.len()).expect("fewer than 2^32 parts fit memory");
            self.heap_bytes += heap_bytes;
            self.values.push(value.clone());
            self.slots.enter(place, hash, number);
            number
        })
    }

    fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<T>() + self.heap_bytes + self.slots.bytes()
    }
}

/// A value that many states share, with its hash.
#[derive(Clone, Debug)]
pub struct Shared<T> {
    hash: u64,
    value: Arc<T>,
}

impl<T: Hash> Shared<T> {
    /// Shares a value.
    pub fn new(value: T) -> Self {
        Self { hash: fold(&value), value: Arc::new(value) }
    }

    /// The value.
    pub fn get(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.value, &other.value)
            || (self.hash == other.hash && self.value == other.value)
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

/// A state of three parts, each of which recurs.
pub trait Parts: Sized {
    /// The part with most of the fields, such as a core.
    type Core: Clone + Eq + Hash + Send + Sync;
    /// What it talks to.
    type Device: Clone + Eq + Hash + Send + Sync;
    /// The rest.
    type World: Clone + Eq + Hash + Send + Sync;

    /// The three parts.
    fn parts(&self) -> (&Self::Core, &Self::Device, &Self::World);
    /// The state of three parts.
    fn join(core: Self::Core, device: Self::Device, world: Self::World) -> Self;
    /// Bytes that a core keeps on the heap, about.
    fn core_bytes() -> usize {
        0
    }
    /// Bytes that a device keeps on the heap, about.
    fn device_bytes() -> usize {
        0
    }
}

/// The codec of states in three parts.
pub struct Collapsed<S: Parts> {
    cores: Interner<S::Core>,
    devices: Interner<S::Device>,
    worlds: Interner<S::World>,
}

impl<S: Parts> Default for Collapsed<S> {
    fn default() -> Self {
        Self { cores: Interner::new(), devices: Interner::new(), worlds: Interner::new() }
    }
}

impl<S: Parts + Send + Sync> Codec for Collapsed<S> {
    type State = S;
    type Code = [u32; 3];
    const EXACT: bool = true;

    fn find(&self, state: &S) -> Option<[u32; 3]> {
        let (core, device, world) = state.parts();
        let world = self.worlds.find(world).ok()?;
        Some([self.cores.find(core).ok()?, self.devices.find(device).ok()?, world])
    }

    fn code(&mut self, state: &S) -> [u32; 3] {
        let (core, device, world) = state.parts();
        [
            self.cores.number(core, S::core_bytes()),
            self.devices.number(device, S::device_bytes()),
            self.worlds.number(world, 0),
        ]
    }

    #[inline]
    fn hash([core, device, world]: [u32; 3]) -> u64 {
        let two = u64::from(core) << 32 | u64::from(device);
        mix(two ^ 0xA5A5_5A5A_0F0F_F0F0, 0x9E37_79B9_7F4A_7C15) ^ u64::from(world)
    }

    fn state(&self, _number: u32, [core, device, world]: [u32; 3]) -> Option<S> {
        let core = self.cores.values.get(core as usize)?.clone();
        let device = self.devices.values.get(device as usize)?.clone();
        Some(S::join(core, device, self.worlds.values.get(world as usize)?.clone()))
    }

    fn bytes(&self) -> usize {
        self.cores.bytes() + self.devices.bytes() + self.worlds.bytes()
    }
}

/// The lossy codec: 64 bits of a hash, and the states of the level in hand.
#[derive(Debug)]
pub struct Digest<S> {
    kept: VecDeque<S>,
    first: u32,
}

impl<S> Default for Digest<S> {
    fn default() -> Self {
        Self { kept: VecDeque::new(), first: 0 }
    }
}

impl<S: Hash + Clone + Send + Sync> Codec for Digest<S> {
    type State = S;
    type Code = u64;
    const EXACT: bool = false;

    fn find(&self, state: &S) -> Option<u64> {
        Some(fold(state))
    }

    fn code(&mut self, state: &S) -> u64 {
        fold(state)
    }

    #[inline]
    fn hash(code: u64) -> u64 {
        code
    }

    fn state(&self, number: u32, _code: u64) -> Option<S> {
        self.kept.get(number.checked_sub(self.first)? as usize).cloned()
    }

    fn keep(&mut self, state: S) {
        self.kept.push_back(state);
    }

    fn forget_below(&mut self, number: u32) {
        while self.first < number && self.kept.pop_front().is_some() {
            self.first += 1;
        }
    }

    fn bytes(&self) -> usize {
        self.kept.capacity() * size_of::<S>()
    }
}
