//! Cases of any family: the comparison of a solve with its oracle, and the run of many cases.

use std::fmt::Debug;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use trisolve::gpu::Gpu;
use trisolve::{Real, Result};

/// The outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The forward error against f64 that is nearest to its bound. It is relative; for recurrences, whose values are of
    /// order 1, it is absolute.
    pub error: f64,
    /// The bound of this error.
    pub bound: f64,
    /// A second run gave the same bits, if the algorithm promises this.
    pub repeatable: bool,
    /// Entries between and behind the solution kept their values.
    pub untouched: bool,
}

impl Verdict {
    /// Whether the case passed.
    pub fn passed(&self) -> bool {
        self.error <= self.bound && self.repeatable && self.untouched
    }
}

/// The error that is nearest to its bound, of many.
pub(super) struct Nearest {
    pub error: f64,
    pub bound: f64,
    share: f64,
}

impl Nearest {
    pub fn new() -> Self {
        Self { error: 0.0, bound: f64::INFINITY, share: 0.0 }
    }

    /// Includes an error. NaN is the worst.
    pub fn include(&mut self, error: f64, bound: f64) {
        self.include_in_units(error, bound, 1.0);
    }

    /// Includes an error that is reported, as its bound, in units of `unit`.
    pub fn include_in_units(&mut self, error: f64, bound: f64, unit: f64) {
        if error.is_nan() || error / bound >= self.share {
            self.share = error / bound;
            (self.error, self.bound) = (error / unit, bound / unit);
        }
    }
}

/// Whether a solve wrote nothing but its own entries. In the others there is poison or, if the solution overwrites an input
/// (`in_place`), that input's NaN; in `rest`, behind the solution, there is poison.
pub(super) fn is_untouched<T: Real>(own: &[bool], values: &[T], rest: &[T], in_place: bool) -> bool {
    let marker = bits(&[poison::<T>()]);
    let hole = if in_place { bits(&[T::from_f64(f64::NAN)]) } else { marker.clone() };
    own.iter().zip(values).all(|(own, value)| *own || bits(&[*value]) == hole)
        && rest.iter().all(|value| bits(&[*value]) == marker)
}

/// One comparison of a kernel with its oracle.
pub trait Case: Debug + Clone + Send + Sync {
    /// Algorithm and layout; the cases of one group share a line of the table.
    fn group(&self) -> String;

    /// Runs the case with poisoned outputs.
    ///
    /// # Errors
    /// The errors of the solve.
    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict>;
}

/// The marker in memory that a solve must not write.
pub(super) fn poison<T: Real>() -> T {
    T::from_f64(-77.25)
}

/// The bytes of the values: NaN equals itself.
pub(super) fn bits<T: Real>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice::<T, u8>(values).to_vec()
}

/// Threads that run cases: one per processor, since the compilation of kernels takes most of the time.
pub fn case_threads() -> usize {
    available_parallelism().map_or(1, NonZero::get).min(16)
}

/// Runs the cases, each on one of its devices: a thread keeps to one of them. A software driver compiles in the one thread of a device's queue, so that
/// several devices compile side by side. Returns the verdicts in the order of the cases; calls `finished` after each.
pub fn run_cases<T: Real>(cases: &[(Arc<[Gpu]>, impl Case)], finished: impl Fn() + Sync) -> Vec<Result<Verdict>> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::with_capacity(cases.len()));
    let work = |thread: usize| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((devices, case)) = cases.get(at) else {
                return;
            };
            let outcome = case.run::<T>(&devices[thread % devices.len()]);
            outcomes.lock().unwrap_or_else(PoisonError::into_inner).push((at, outcome));
            finished();
        }
    };
    // If a thread panics, the caller panics at the end of the scope.
    let work = &work;
    std::thread::scope(|scope| (0..case_threads()).for_each(|thread| drop(scope.spawn(move || work(thread)))));
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by_key(|outcome| outcome.0);
    outcomes.into_iter().map(|outcome| outcome.1).collect()
}
