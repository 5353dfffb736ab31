//! The last plans of one-call solves, which a device keeps for the next call.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::context::locked;

/// Most plans that are kept.
const MOST: usize = 16;
/// Most bytes of device memory that kept plans use together.
const MOST_BYTES: u64 = 256 << 20;

/// The last plans, the latest first.
#[derive(Debug, Default)]
pub struct Recent {
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    key: Box<dyn Any + Send>,
    plan: Arc<dyn Any + Send + Sync>,
    bytes: u64,
}

impl Recent {
    /// The plan with this key, which then counts as the latest.
    pub fn find<K: PartialEq + 'static, P: Send + Sync + 'static>(&self, key: &K) -> Option<Arc<P>> {
        let mut kept = locked(&self.kept);
        let has_key = |kept: &Kept| kept.key.downcast_ref() == Some(key) && kept.plan.is::<P>();
        let found = kept.iter().position(has_key).and_then(|at| kept.remove(at))?;
        let plan = found.plan.clone().downcast().ok();
        kept.push_front(found);
        plan
    }

    /// Keeps a plan that uses this many bytes of device memory, unless these are too many.
    pub fn keep<K: Send + 'static, P: Send + Sync + 'static>(&self, key: K, plan: Arc<P>, bytes: u64) {
        if bytes > MOST_BYTES {
            return;
        }
        let mut dropped = vec![];
        let mut kept = locked(&self.kept);
        kept.push_front(Kept { key: Box::new(key), plan, bytes });
        while kept.len() > MOST || kept.iter().map(|kept| kept.bytes).sum::<u64>() > MOST_BYTES {
            dropped.extend(kept.pop_back());
        }
        // Memory is freed without the lock.
        drop(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_kept() {
        let recent = Recent::default();
        let find = |key: usize| recent.find::<usize, usize>(&key).map(|plan| *plan);
        for key in 0..MOST {
            recent.keep(key, Arc::new(10 * key), 1);
        }
        assert_eq!(find(0), Some(0));
        // A key or a plan of another type never matches.
        assert!(recent.find::<u8, usize>(&0).is_none());
        assert!(recent.find::<usize, u8>(&0).is_none());
        recent.keep(MOST, Arc::new(10 * MOST), 1);
        assert_eq!([find(0), find(1), find(2)], [Some(0), None, Some(20)]);
        // A large plan takes the place of others; one above the limit is not kept.
        recent.keep(100usize, Arc::new(1000usize), MOST_BYTES - 2);
        assert_eq!([find(100), find(2), find(0), find(5)], [Some(1000), Some(20), Some(0), None]);
        recent.keep(101usize, Arc::new(1010usize), MOST_BYTES + 1);
        assert_eq!([find(101), find(100)], [None, Some(1000)]);
    }
}
