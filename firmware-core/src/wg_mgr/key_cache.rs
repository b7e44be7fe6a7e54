//! Shared keys by peer key, so that a known peer's box costs no X25519.
//!
//! A full cache replaces the entry that was used longest ago; a linear scan finds both. The cache
//! is filled before a box is known to be genuine, so 132 packets with random keys empty it of every
//! idle peer (defect PF-93, switch `cache_admission`).
//!
//! Clauses: WG-CACHE-1.
use heapless::Vec;

use super::boxes::SharedBox;
use super::keys::DiscoKey;

/// A cache of at most `KEYS` shared keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyCache<const KEYS: usize> {
    entries: Vec<Entry, KEYS>,
    limit: u16,
    clock: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Entry {
    shared: SharedBox,
    used: u32,
}

impl<const KEYS: usize> KeyCache<KEYS> {
    /// An empty cache of `limit` entries, at most `KEYS`; 0 keeps nothing.
    pub fn new(limit: u16) -> Self {
        Self {
            entries: Vec::new(),
            limit: limit.min(KEYS.try_into().unwrap_or(u16::MAX)),
            clock: 0,
        }
    }

    /// The shared key of `peer`, if it is here; it then counts as just used.
    pub fn get(&mut self, peer: DiscoKey) -> Option<SharedBox> {
        let clock = self.tick();
        let entry = self.entries.iter_mut().find(|entry| entry.shared.peer() == peer)?;
        entry.used = clock;
        Some(entry.shared.clone())
    }

    /// The shared key of `peer`, if it is here, without counting as a use: for a recorder.
    pub fn peek(&self, peer: DiscoKey) -> Option<&SharedBox> {
        self.entries.iter().map(|entry| &entry.shared).find(|shared| shared.peer() == peer)
    }

    /// Keeps `shared`, in place of the entry used longest ago when the cache is full.
    pub fn insert(&mut self, shared: SharedBox) {
        let used = self.tick();
        let entry = Entry { shared, used };
        if self.entries.len() < self.limit.into() {
            let refused = self.entries.push(entry);
            debug_assert!(refused.is_ok(), "the limit is at most the capacity");
        } else if let Some(oldest) = self.entries.iter_mut().min_by_key(|entry| entry.used) {
            *oldest = entry;
        }
    }

    /// Forgets everything: what a change of our own secret does.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Keys kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no key is kept.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn tick(&mut self) -> u32 {
        self.clock = self.clock.wrapping_add(1);
        self.clock
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::Crypto;
    use super::super::keys::Identity;
    use super::*;

    fn shared(byte: u8) -> SharedBox {
        let identity = Identity::from_secrets([1; 32], [2; 32]);
        SharedBox::compute(Crypto::Modelled, &identity, DiscoKey([byte; 32]))
    }

    fn holds(cache: &mut KeyCache<8>, byte: u8) -> bool {
        cache.get(DiscoKey([byte; 32])).is_some()
    }

    /// Cites WG-CACHE-1.
    #[test]
    fn the_entry_used_longest_ago_is_replaced_not_the_oldest() {
        let mut cache = KeyCache::<8>::new(3);
        for byte in 1..=3 {
            cache.insert(shared(byte));
        }
        assert!(holds(&mut cache, 1));
        cache.insert(shared(4));
        assert!(holds(&mut cache, 1) && !holds(&mut cache, 2) && holds(&mut cache, 4));
        assert_eq!(cache.len(), 3);
    }

    /// Cites WG-CACHE-1: keys that differ in their last byte only are different keys.
    #[test]
    fn the_whole_key_is_compared() {
        let mut cache = KeyCache::<8>::new(3);
        cache.insert(shared(1));
        let mut almost = [1; 32];
        almost[31] = 2;
        assert!(cache.get(DiscoKey(almost)).is_none());
    }

    #[test]
    fn a_cache_of_no_entries_keeps_nothing() {
        let mut cache = KeyCache::<8>::new(0);
        cache.insert(shared(1));
        assert!(cache.is_empty() && !holds(&mut cache, 1));
    }
}
