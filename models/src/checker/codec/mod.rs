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
mod collapsed;

use core::hash::Hash;
use std::collections::VecDeque;

use super::hash::{fold, mix};
pub use collapsed::{Collapsed, Parts, Shared};

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

    /// The same as [`Codec::find`] for a state that a step led to from another, whose code is known.
    fn find_after(
        &self,
        _before: (&Self::State, Self::Code),
        state: &Self::State,
    ) -> Option<Self::Code> {
        self.find(state)
    }

    /// The same as [`Codec::code`] for a state that a step led to from another, whose code is known.
    fn code_after(
        &mut self,
        _before: (&Self::State, Self::Code),
        state: &Self::State,
    ) -> Self::Code {
        self.code(state)
    }

    /// A hash of a code.
    fn hash(code: Self::Code) -> u64;

    /// The state with this code and number; `None` when it is not kept (any more).
    fn state(&self, number: u32, code: Self::Code) -> Option<Self::State>;

    /// Told of each new state, in the order of their numbers.
    fn keep(&mut self, _state: &Self::State) {}

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

    fn keep(&mut self, state: &S) {
        self.kept.push_back(state.clone());
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
