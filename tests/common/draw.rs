//! Draws the cases of one run: the software driver takes 0.3 to 1 s per kernel.
#![allow(dead_code, reason = "each test program uses some")]

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use trisolve::{Gpu, Precision};

/// Whether a run takes every case that a test lists.
pub fn all_cases() -> bool {
    std::env::var_os("TRISOLVE_ALL_CASES").is_some()
}

/// Whether `scripts/test.sh` runs a test again at another subgroup size.
pub fn fewer_cases() -> bool {
    std::env::var_os("TRISOLVE_FEWER_CASES").is_some()
}

/// `count` of these in a random order; all of them with `TRISOLVE_ALL_CASES`.
pub fn some<V: Clone>(random: &mut SmallRng, of: &[V], count: usize) -> Vec<V> {
    let mut drawn = of.to_vec();
    drawn.shuffle(random);
    drawn.truncate(if all_cases() { of.len() } else { count });
    drawn
}

/// Every `step`-th of these, from a first one that the seed picks. Empty only if `of` is.
pub fn every<V: Clone>(of: &[V], step: usize, seed: u64) -> Vec<V> {
    let first = seed as usize % step.min(of.len()).max(1);
    of.iter().skip(first).step_by(step).cloned().collect()
}

/// One of the precisions that the adapter has, or all.
pub fn precisions(random: &mut SmallRng, gpu: &Gpu) -> Vec<Precision> {
    match gpu.capabilities().features.f64 {
        true => some(random, &[Precision::F32, Precision::F64], 1),
        false => vec![Precision::F32],
    }
}

/// `in_precisions!(random, gpu, test(arguments))` calls a generic test in each precision that [`precisions`] draws.
#[allow(unused_macros, reason = "each test program uses some")]
macro_rules! in_precisions {
    ($random:expr, $gpu:expr, $test:ident($($argument:expr),* $(,)?)) => {
        for precision in crate::draw::precisions($random, $gpu) {
            match precision {
                trisolve::Precision::F32 => $test::<f32>($($argument),*),
                trisolve::Precision::F64 => $test::<f64>($($argument),*),
            }
        }
    };
}
#[allow(unused_imports, reason = "each test program uses some")]
pub(crate) use in_precisions;
