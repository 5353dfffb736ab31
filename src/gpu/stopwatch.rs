//! Where the time of host solves and of plans went.

use std::cell::Cell;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// Where the time went, in seconds of the host's clock. Parts do not overlap; their sum is slightly less than the time of the call.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Timing {
    /// Choosing an algorithm, allocating, and binding; of a quasi-tridiagonal plan also splitting and uploading the matrix.
    pub planning: f64,
    /// Waiting for kernels to be compiled, several at once. A software driver compiles once more in the first solve, which is part of `solving`.
    pub compiling: f64,
    /// Copying from the caller's memory to mapped memory or the device. Copies that the device makes later count as `solving`.
    pub uploading: f64,
    /// Waiting for the device. A reported solve first repeats the solve for about a millisecond, which counts too; on the CPU, the solve with its check.
    pub solving: f64,
    /// Measuring the residual and judging the answer, on the device and on the CPU.
    pub checking: f64,
    /// Copying the answer into the caller's memory.
    pub downloading: f64,
}

impl Timing {
    /// The sum of the parts.
    pub fn total(&self) -> f64 {
        let Self { planning, compiling, uploading, solving, checking, downloading } = *self;
        planning + compiling + uploading + solving + checking + downloading
    }
}

impl AddAssign for Timing {
    fn add_assign(&mut self, other: Self) {
        self.planning += other.planning;
        self.compiling += other.compiling;
        self.uploading += other.uploading;
        self.solving += other.solving;
        self.checking += other.checking;
        self.downloading += other.downloading;
    }
}

thread_local! {
    /// How long this thread has waited for kernels.
    static COMPILED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Runs what compiles kernels, as a part of the time of this thread's stopwatches.
pub(super) fn compiling<R>(compile: impl FnOnce() -> R) -> R {
    let (start, before) = (Instant::now(), COMPILED.get());
    let result = compile();
    // Compilations within this one count once.
    COMPILED.set(before + start.elapsed());
    result
}

/// Divides the time of a thread into parts.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    timing: Timing,
    lap: Instant,
    /// [`COMPILED`] at the start of the lap.
    compiled: Duration,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self { timing: Timing::default(), lap: Instant::now(), compiled: COMPILED.get() }
    }

    /// Adds the time since the last lap to a part, but for compiling, which is a part of its own.
    pub fn lap(&mut self, part: impl FnOnce(&mut Timing) -> &mut f64) {
        let (now, all_compiled) = (Instant::now(), COMPILED.get());
        let compiled = all_compiled.saturating_sub(self.compiled);
        *part(&mut self.timing) += (now - self.lap).saturating_sub(compiled).as_secs_f64();
        self.timing.compiling += compiled.as_secs_f64();
        (self.lap, self.compiled) = (now, all_compiled);
    }

    pub fn timing(&self) -> Timing {
        self.timing
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    #[test]
    fn compiling_is_a_part_of_its_own() {
        let rest = || sleep(Duration::from_millis(20));
        let start = Instant::now();
        let mut watch = Stopwatch::start();
        rest();
        watch.lap(|timing| &mut timing.uploading);
        compiling(|| compiling(rest));
        rest();
        watch.lap(|timing| &mut timing.planning);
        let all = start.elapsed().as_secs_f64();
        let timing = watch.timing();
        let Timing { uploading, planning, compiling, .. } = timing;
        assert!([uploading, planning, compiling].iter().all(|part| *part >= 0.02), "{timing:?}");
        assert!(
            timing.total() <= all && (uploading + planning + compiling - timing.total()).abs() < 1e-9,
            "{timing:?}"
        );
        // Other threads compile on their own account.
        std::thread::spawn(|| super::compiling(|| sleep(Duration::from_millis(20)))).join().unwrap();
        watch.lap(|timing| &mut timing.checking);
        assert_eq!(watch.timing().compiling, compiling);
    }
}
