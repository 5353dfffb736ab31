//! The compiled kernels of a device: those of plans for as long as a plan has them, and the last used ones beyond.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Weak};

/// The most kernels that stay compiled although no plan has them. On a software driver, one takes about a megabyte.
const MOST_KEPT: usize = 256;

/// Shared values by key: each lives while something else holds it, and the last used `MOST_KEPT` of those that may be kept live on.
#[derive(Debug)]
pub struct Kernels<K, V> {
    all: HashMap<K, Weak<V>>,
    /// With the time of their last use.
    kept: HashMap<K, (Arc<V>, u64)>,
    time: u64,
    /// Hashes of all keys that ever were.
    #[cfg(feature = "internals")]
    seen: std::collections::HashSet<u64>,
}

impl<K, V> Default for Kernels<K, V> {
    fn default() -> Self {
        Self {
            all: HashMap::new(),
            kept: HashMap::new(),
            time: 0,
            #[cfg(feature = "internals")]
            seen: std::collections::HashSet::new(),
        }
    }
}

impl<K: Eq + Hash + Clone, V> Kernels<K, V> {
    pub fn find(&mut self, key: &K) -> Option<Arc<V>> {
        let found = self.all.get(key)?.upgrade()?;
        if let Some((_, used)) = self.kept.get_mut(key) {
            self.time += 1;
            *used = self.time;
        }
        Some(found)
    }

    /// Takes a value, which may be `kept` beyond its other holders. Of those that may not, there is no bound to the number of keys.
    pub fn insert(&mut self, key: K, value: &Arc<V>, kept: bool) {
        #[cfg(feature = "internals")]
        self.seen.insert(std::hash::BuildHasher::hash_one(self.all.hasher(), &key));
        if !kept {
            self.all.retain(|_, value| value.strong_count() > 0);
            self.all.insert(key, Arc::downgrade(value));
            return;
        }
        self.all.insert(key.clone(), Arc::downgrade(value));
        self.time += 1;
        self.kept.insert(key, (value.clone(), self.time));
        if self.kept.len() > MOST_KEPT {
            let oldest = self.kept.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            oldest.map(|key| self.kept.remove(&key));
        }
    }

    /// How many keys there have been.
    #[cfg(feature = "internals")]
    pub fn seen(&self) -> usize {
        self.seen.len()
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
        let mut kernels = Kernels::<usize, usize>::default();
        let held = Arc::new(0);
        kernels.insert(0, &held, true);
        let alone = Arc::new(1);
        kernels.insert(1_000_000, &alone, false);
        drop(alone);
        assert_eq!(kernels.find(&1_000_000), None);
        for key in 1..2 * MOST_KEPT {
            kernels.insert(key, &Arc::new(key), true);
            // Used again and again.
            assert_eq!(kernels.find(&1).as_deref(), Some(&1), "{key}");
        }
        assert_eq!(kernels.find(&0), Some(held.clone()));
        assert_eq!(kernels.find(&2), None);
        assert_eq!(kernels.find(&(2 * MOST_KEPT - 1)).as_deref(), Some(&(2 * MOST_KEPT - 1)));
        assert_eq!(kernels.kept.len(), MOST_KEPT);
        drop(held);
        assert_eq!(kernels.find(&0), None);
    }
}
