//! Solves from and to host slices.

use super::plan::QuasiTridiagonalPlan;
use super::report::Report;
use super::system::DeviceSystem;
use super::verify::Verdict;
use crate::arithmetic::{exponent, times_power};
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, Stopwatch, Timing};
use crate::real::Real;

/// A solution with what is known of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The unknowns; of an iteration that did not converge, its last.
    pub x: Vec<T>,
    /// How it went.
    pub report: Report,
    /// ||x^ - x|| / ||x|| in the maximum norm, estimated, against the exact solution of the numbers as given; at most 0.1 in solutions of
    /// [`QuasiTridiagonalPlan::solve_reported`]. Infinite before [`QuasiTridiagonalPlan::accepted`].
    pub forward_error: f64,
    /// The condition number in the maximum norm, estimated, if strict dominance does not bound the error: Skeel's cond(A, x) = || |A^-1|
    /// |A| |x| || / ||x|| of a matrix that [`solve_directly`](super::solve_directly) eliminates; for others || |A^-1| (|A| e ||x|| + |b|)
    /// || / ||x||, with e of ones, which is not smaller.
    pub condition: Option<f64>,
    /// Seconds from the first submission until the host knows that the solve has ended.
    pub seconds: f64,
    /// Where the time of the call went; [`QuasiTridiagonalPlan::timing`] has that of the plan.
    pub timing: Timing,
}

impl<T: Real> QuasiTridiagonalPlan<T> {
    /// Solves for a right-hand side in host memory.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::NotConverged`], [`Error::Overflow`] and [`Error::Underflow`]
    /// for solutions past the range, [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn solve(&self, rhs: &[T]) -> Result<Vec<T>> {
        self.solve_reported(rhs).map(|solution| solution.x)
    }

    /// As [`QuasiTridiagonalPlan::solve`], from a guess: the nearer it is, the fewer iterations.
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::solve`].
    pub fn solve_from(&self, guess: &[T], rhs: &[T]) -> Result<Vec<T>> {
        let solution = self.attempt_from(Some(guess), rhs, &mut |_, _| {})?;
        self.accepted(rhs, solution).map(|solution| solution.x)
    }

    /// As [`QuasiTridiagonalPlan::solve`], with how it went.
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::solve`].
    pub fn solve_reported(&self, rhs: &[T]) -> Result<Solution<T>> {
        let solution = self.attempt(rhs)?;
        self.accepted(rhs, solution)
    }

    /// An attempt, if it has converged and its error is small, with an estimate of that.
    ///
    /// Costs on the CPU: for strictly dominant rows a pass over the matrix; for a matrix that
    /// [`solve_directly`](super::solve_directly) takes one elimination per plan and some twenty substitutions per solve. Other matrices
    /// cost three to sixteen more solves on the device.
    ///
    /// # Errors
    /// [`Error::NotConverged`]; [`Error::Singular`] and [`Error::NearlySingular`] for a matrix that does not determine x;
    /// [`Error::NoDigits`] for one with a small residual and a large error; [`Error::Unverified`]; those of a solve.
    pub fn accepted(&self, rhs: &[T], mut solution: Solution<T>) -> Result<Solution<T>> {
        solution.report.check()?;
        let Some(judged) = &self.judged else {
            return Ok(solution);
        };
        let mut watch = Stopwatch::start();
        let mut correct = |rhs: &[T]| {
            let step = self.attempt(rhs)?;
            step.report.check()?;
            Ok(step.x)
        };
        let Verdict { forward_error, condition } = judged.verdict(rhs, &mut solution.x, &mut correct)?;
        watch.lap(|timing| &mut timing.checking);
        let mut timing = solution.timing;
        timing += watch.timing();
        Ok(Solution { forward_error, condition, timing, ..solution })
    }

    /// As far as it goes: also an iteration that did not converge is a result, as [`Report::outcome`] says.
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::solve`], less [`Error::NotConverged`].
    pub fn attempt(&self, rhs: &[T]) -> Result<Solution<T>> {
        self.attempt_from(None, rhs, &mut |_, _| {})
    }

    /// As [`QuasiTridiagonalPlan::attempt`], from a guess where there is one. `progress` is told now and then how many
    /// iterations are done and what the relative residual is.
    ///
    /// Unknowns too small for the iteration's products are found once more, times a power of two.
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::attempt`].
    pub fn attempt_from(
        &self,
        guess: Option<&[T]>,
        rhs: &[T],
        progress: &mut dyn FnMut(usize, f64),
    ) -> Result<Solution<T>> {
        let attempted = self.attempt_once(guess, rhs, progress);
        let Err(Error::Underflow { largest, precision }) = attempted else { return attempted };
        let size = |values: &[T]| values.iter().fold(0f64, |most, value| most.max(value.to_f64().abs()));
        let most = [Some(rhs), guess].into_iter().flatten().map(size).fold(0.0, f64::max);
        let [Some(of_x), Some(of_most), Some(end)] = [largest, most, precision.largest()].map(exponent) else {
            return attempted;
        };
        let power = (-of_x).min(end - 1 - of_most);
        if largest < precision.least_normal() || power <= 0 {
            return attempted;
        }
        let scaled = |values: &[T], power: i32| -> Vec<T> {
            values.iter().map(|value| T::from_f64(times_power(value.to_f64(), power))).collect()
        };
        let guess = guess.map(|guess| scaled(guess, power));
        let solution = self.attempt_once(guess.as_deref(), &scaled(rhs, power), progress)?;
        Ok(Solution { x: scaled(&solution.x, -power), ..solution })
    }

    fn attempt_once(
        &self,
        guess: Option<&[T]>,
        rhs: &[T],
        progress: &mut dyn FnMut(usize, f64),
    ) -> Result<Solution<T>> {
        let mut watch = Stopwatch::start();
        let engine = &self.engine;
        for (vector, values) in [Some(("rhs", rhs)), guess.map(|values| ("guess", values))].into_iter().flatten() {
            if values.len() != engine.rows {
                return Err(Error::Length { vector, expected: engine.rows.to_string(), found: values.len() });
            }
            if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                return Err(Error::NonFiniteInput { vector, system: 0, row });
            }
        }
        let gpu = &engine.gpu;
        let right = DeviceVector::from_slice(gpu, "rhs", rhs)?;
        // x holds the guess, which is read before.
        let x = match guess {
            Some(values) => DeviceVector::from_slice(gpu, "x", values)?,
            None => DeviceVector::new(gpu, "x", rhs.len())?,
        };
        watch.lap(|timing| &mut timing.uploading);
        let system = DeviceSystem::new(right.as_slice(), x.as_slice());
        let bound = self.bind(&DeviceSystem { guess: guess.map(|_| x.as_slice()), ..system })?;
        watch.lap(|timing| &mut timing.planning);
        let (report, seconds) = bound.solve(progress)?;
        watch.lap(|timing| &mut timing.solving);
        let x = x.read(gpu)?;
        watch.lap(|timing| &mut timing.downloading);
        let timing = watch.timing();
        Ok(Solution { x, report, forward_error: f64::INFINITY, condition: None, seconds, timing })
    }
}
