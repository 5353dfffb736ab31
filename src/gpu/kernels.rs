//! The compiled kernels of a device. They live while a plan holds them; the most recently used also live without one.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Weak};

/// Kernels that live without a plan.
pub const MOST_RECENT: usize = 256;
/// The same on a software driver, where one takes about four megabytes.
pub const MOST_RECENT_IN_SOFTWARE: usize = 64;

/// Shared values by key. Each lives while something else holds it; the `most_recent` most recently used of those that may also live without.
#[derive(Debug)]
pub struct Kernels<K, V> {
    most_recent: usize,
    all: HashMap<K, Weak<V>>,
    /// With the time of their last use.
    recent: HashMap<K, (Arc<V>, u64)>,
    time: u64,
    /// Hashes of all keys that ever were.
    #[cfg(feature = "internals")]
    seen: std::collections::HashSet<u64>,
    /// How many values were inserted.
    #[cfg(feature = "internals")]
    inserted: usize,
}

impl<K: Eq + Hash + Clone, V> Kernels<K, V> {
    pub fn keeping(most_recent: usize) -> Self {
        Self {
            most_recent,
            all: HashMap::new(),
            recent: HashMap::new(),
            time: 0,
            #[cfg(feature = "internals")]
            seen: std::collections::HashSet::new(),
            #[cfg(feature = "internals")]
            inserted: 0,
        }
    }

    pub fn find(&mut self, key: &K) -> Option<Arc<V>> {
        let found = self.all.get(key)?.upgrade()?;
        if let Some((_, used)) = self.recent.get_mut(key) {
            self.time += 1;
            *used = self.time;
        }
        Some(found)
    }

    /// `recent`: also held here. Pass false for kernels with the caller's formulas: their number has no bound.
    pub fn insert(&mut self, key: K, value: &Arc<V>, recent: bool) {
        #[cfg(feature = "internals")]
        {
            self.seen.insert(std::hash::BuildHasher::hash_one(self.all.hasher(), &key));
            self.inserted += 1;
        }
        // Keys of values that live no more would be kept for ever.
        self.all.retain(|_, value| value.strong_count() > 0);
        self.all.insert(key.clone(), Arc::downgrade(value));
        if !recent {
            return;
        }
        self.time += 1;
        self.recent.insert(key, (value.clone(), self.time));
        self.trim();
    }

    /// Lets the longest unused values go.
    fn trim(&mut self) {
        while self.recent.len() > self.most_recent {
            let oldest = self.recent.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            oldest.map(|key| self.recent.remove(&key));
        }
    }

    /// Changes how many live without a plan.
    #[cfg(feature = "internals")]
    pub fn keep(&mut self, most_recent: usize) {
        self.most_recent = most_recent;
        self.trim();
    }

    /// How many keys there have been.
    #[cfg(feature = "internals")]
    pub fn seen(&self) -> usize {
        self.seen.len()
    }

    /// How many values were inserted, some of them again after they were let go.
    #[cfg(feature = "internals")]
    pub fn inserted(&self) -> usize {
        self.inserted
    }

    /// Values that live.
    #[cfg(feature = "internals")]
    pub fn living(&self) -> usize {
        self.all.values().filter(|value| value.strong_count() > 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_used_and_the_held_live() {
        let mut kernels = Kernels::<usize, usize>::keeping(MOST_RECENT);
        let held = Arc::new(0);
        kernels.insert(0, &held, true);
        let alone = Arc::new(1);
        kernels.insert(1_000_000, &alone, false);
        drop(alone);
        assert_eq!(kernels.find(&1_000_000), None);
        for key in 1..2 * MOST_RECENT {
            kernels.insert(key, &Arc::new(key), true);
            // Used again and again.
            assert_eq!(kernels.find(&1).as_deref(), Some(&1), "{key}");
        }
        assert_eq!(kernels.find(&0), Some(held.clone()));
        assert_eq!(kernels.find(&2), None);
        assert_eq!(kernels.find(&(2 * MOST_RECENT - 1)).as_deref(), Some(&(2 * MOST_RECENT - 1)));
        assert_eq!(kernels.recent.len(), MOST_RECENT);
        drop(held);
        assert_eq!(kernels.find(&0), None);
    }
}
