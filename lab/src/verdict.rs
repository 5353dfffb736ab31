//! Many cases of any family on a device, each compared with its oracle.

use std::fmt::Debug;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use trisolve::gpu::Gpu;
use trisolve::{Real, Result};

/// What came of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The forward error against f64 that is nearest to its bound: relative, of recurrences (whose values are of
    /// order 1) absolute.
    pub error: f64,
    /// What it may be.
    pub bound: f64,
    /// A second run gave the same bits, as far as the algorithm promises that.
    pub repeatable: bool,
    /// Entries between and behind a solve's own kept their value.
    pub untouched: bool,
}

impl Verdict {
    /// Whether all is well.
    pub fn passed(&self) -> bool {
        self.error <= self.bound && self.repeatable && self.untouched
    }
}

/// One comparison of a kernel with its oracle.
pub trait Case: Debug + Clone + Send + Sync {
    /// Algorithm and layout: cases of one line in a table.
    fn group(&self) -> String;

    /// Runs it with poisoned outputs.
    ///
    /// # Errors
    /// Whatever the solve says.
    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict>;
}

/// The marker that fills what a solve must not touch.
pub(super) fn poison<T: Real>() -> T {
    T::from_f64(-77.25)
}

pub(super) fn bits<T: Real>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice::<T, u8>(values).to_vec()
}

/// Runs many cases, in the order that they have, on as many threads as there are processors: most of
/// a case's time goes into compiling its kernels. `finished` is called after each.
pub fn run_cases<T: Real>(cases: &[(Gpu, impl Case)], finished: impl Fn() + Sync) -> Vec<Result<Verdict>> {
    let threads = available_parallelism().map_or(1, NonZero::get).min(16);
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::with_capacity(cases.len()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((gpu, case)) = cases.get(at) else {
                return;
            };
            let outcome = case.run::<T>(gpu);
            outcomes.lock().unwrap_or_else(PoisonError::into_inner).push((at, outcome));
            finished();
        }
    };
    // A thread that panics takes its caller with it when the scope ends.
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by_key(|outcome| outcome.0);
    outcomes.into_iter().map(|outcome| outcome.1).collect()
}
