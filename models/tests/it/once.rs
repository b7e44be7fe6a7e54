//! Explorations that several tests ask about: each is made once in a process, by whoever asks first.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What was made, by what it was made of.
pub struct Once<K, V>(Mutex<BTreeMap<K, Made<V>>>);

type Made<V> = Arc<OnceLock<Arc<V>>>;

impl<K: Ord, V> Once<K, V> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// What was made of `key`; whoever asks meanwhile for the same waits, others do not.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = Arc::clone(known.entry(key).or_default());
        drop(known);
        Arc::clone(made.get_or_init(|| Arc::new(make())))
    }
}
