//! States of three parts, each part stored once and numbered.
//!
//! ```text
//!   state 17   core 4  device 2  world 9     what a state takes: 12 bytes, 4 of what the rules
//!   state 18   core 5  device 2  world 9     remember, 4 of its predecessor, 10 to 20 of a slot
//!              │       │         └► worlds   [ 0 | 1 | … ]   each value once, found by its hash
//!              │       └► devices            [ 0 | 1 | … ]
//!              └► cores                      [ 0 | 1 | … ]
//! ```
//!
//! A step changes some of the parts; those it left alone are compared with the state before, which is
//! at hand, and neither hashed nor looked for.
use core::hash::{Hash, Hasher};
use std::sync::Arc;

use super::Codec;
use crate::checker::blocks::Blocks;
use crate::checker::hash::{fold, mix};
use crate::checker::visited::Slots;

/// Values stored once each, by number.
struct Interner<T> {
    values: Blocks<T>,
    slots: Slots,
    heap_bytes: usize,
}

impl<T: Eq + Hash> Interner<T> {
    fn new() -> Self {
        Self { values: Blocks::default(), slots: Slots::new(), heap_bytes: 0 }
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
        self.values.bytes() + self.heap_bytes + self.slots.bytes()
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

    /// A step leaves most parts alone, and what it left alone keeps its number.
    fn find_after(&self, (before, code): (&S, [u32; 3]), state: &S) -> Option<[u32; 3]> {
        let ((core, device, world), same) = (state.parts(), before.parts());
        let mut code = code;
        if *core != *same.0 {
            code[0] = self.cores.find(core).ok()?;
        }
        if *device != *same.1 {
            code[1] = self.devices.find(device).ok()?;
        }
        if *world != *same.2 {
            code[2] = self.worlds.find(world).ok()?;
        }
        Some(code)
    }

    fn code_after(&mut self, (before, code): (&S, [u32; 3]), state: &S) -> [u32; 3] {
        let ((core, device, world), same) = (state.parts(), before.parts());
        let mut code = code;
        if *core != *same.0 {
            code[0] = self.cores.number(core, S::core_bytes());
        }
        if *device != *same.1 {
            code[1] = self.devices.number(device, S::device_bytes());
        }
        if *world != *same.2 {
            code[2] = self.worlds.number(world, 0);
        }
        code
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A core, a device on the heap, and a world.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Toy {
        core: [u8; 3],
        device: Shared<Vec<u16>>,
        world: Option<u64>,
    }

    impl Parts for Toy {
        type Core = [u8; 3];
        type Device = Shared<Vec<u16>>;
        type World = Option<u64>;

        fn parts(&self) -> (&[u8; 3], &Shared<Vec<u16>>, &Option<u64>) {
            (&self.core, &self.device, &self.world)
        }

        fn join(core: [u8; 3], device: Shared<Vec<u16>>, world: Option<u64>) -> Self {
            Self { core, device, world }
        }
    }

    /// Few values of each part, so that parts and whole states recur.
    fn toy() -> impl Strategy<Value = Toy> {
        let device = prop::collection::vec(0_u16..3, 0..3);
        let world = prop::option::of(0_u64..3);
        (0_u8..4, device, world).prop_map(|(core, device, world)| Toy {
            core: [core, 7, core],
            device: Shared::new(device),
            world,
        })
    }

    proptest! {
        /// A code leads back to its state; two states have one code exactly when they are equal.
        #[test]
        fn codes_and_states_belong_to_each_other_one_by_one(
            states in prop::collection::vec(toy(), 1..60),
        ) {
            let mut codec = Collapsed::default();
            let codes: Vec<_> = states.iter().map(|state| codec.code(state)).collect();
            for (state, code) in states.iter().zip(&codes) {
                prop_assert_eq!(codec.state(0, *code), Some(state.clone()));
                prop_assert_eq!(codec.find(state), Some(*code));
                for (other, of_other) in states.iter().zip(&codes) {
                    prop_assert_eq!(state == other, code == of_other);
                }
            }
        }

        /// Whichever parts a step leaves alone, the state before changes nothing of the code after.
        #[test]
        fn the_state_before_saves_work_and_changes_no_code(
            states in prop::collection::vec(toy(), 2..40),
        ) {
            let (mut after, mut alone) = (Collapsed::default(), Collapsed::default());
            let mut before = (states[0].clone(), after.code(&states[0]));
            prop_assert_eq!(alone.code(&states[0]), before.1);
            for state in &states[1..] {
                let known = alone.find(state);
                prop_assert_eq!(after.find_after((&before.0, before.1), state), known);
                let code = after.code_after((&before.0, before.1), state);
                prop_assert_eq!(code, alone.code(state));
                before = (state.clone(), code);
            }
        }
    }
}
