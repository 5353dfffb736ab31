//! Solves from and to host slices: submitted, judged, and explained where the input is at fault.

use std::time::Duration;

use super::algorithms::Algorithm;
use super::bounds::{Bounds, may_overflow};
use super::judged::{Candidate, Judged};
use super::on_cpu;
use super::options::Diagonal;
use super::plan::TridiagonalPlan;
use super::residual::{Measured, Measuring, Residuals};
use super::staging::{Staging, range};
use super::system::System;
#[cfg(doc)]
use crate::check::Check;
use crate::error::{Error, Result};
use crate::gpu::{Copies, PassTimer, Received, Stopwatch, Timing};
use crate::place::Place;
use crate::plan::Status;
use crate::real::Real;

/// A solution with its accuracy and time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The unknowns, laid out as `rhs`.
    pub x: Vec<T>,
    /// Where it ran: [`Place::Device`] or [`Place::Cpu`].
    pub place: Place,
    /// The algorithm that ran on the device; [`Algorithm::Auto`] if the CPU solved ([`solve_batch_on_cpu`](super::solve_batch_on_cpu)).
    pub algorithm: Algorithm,
    /// ||x^ - x|| / ||x|| in the maximum norm, estimated: of the worst right-hand side, against the exact solution of the
    /// numbers as given. At most 0.1. `None` if the solve was not checked ([`Options::check`](super::Options::check)).
    pub forward_error: Option<f64>,
    /// Skeel's condition cond(A, x) = || |A^-1| |A| |x| || / ||x|| in the maximum norm: the factor by which relative errors of the
    /// entries may grow in x. The largest over the systems that the CPU judged without using dominance; `None` if there were none.
    pub condition: Option<f64>,
    /// Number of right-hand sides whose device answer was replaced by the CPU's.
    pub replaced: usize,
    /// How well x solves the systems, computed where it ran; `None` if the solve was not checked.
    pub residuals: Option<Residuals>,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's; on the CPU with the check.
    pub seconds: f64,
    /// Where the time of the call went; [`TridiagonalPlan::timing`] has that of the plan.
    pub timing: Timing,
}

/// What a host solve was given.
pub(super) struct Given<'a, T> {
    pub system: System<'a, T>,
    /// As [`System::is_moderate`].
    pub is_moderate: bool,
}

impl<'a, T: Real> Given<'a, T> {
    /// Reads all entries.
    fn scanned(system: &System<'a, T>) -> Self {
        Self { system: *system, is_moderate: system.is_moderate() }
    }
}

/// The accuracy of the answer of a host solve.
struct Accuracy {
    judged: Judged,
    residuals: Residuals,
}

/// What a host solve reads back beside x; the measures of a solve that is checked.
type Findings = (Status, Option<Measured>);

/// # Errors
/// [`Error::Length`] for another length than that of `rhs`.
pub(super) fn check_target<T>(rhs: &[T], x: &[T]) -> Result<()> {
    match x.len() == rhs.len() {
        true => Ok(()),
        false => Err(Error::Length { vector: "x", expected: rhs.len().to_string(), found: x.len() }),
    }
}

/// Takes the unknowns of a host solve into the caller's memory.
pub(super) fn into<'a, T: Real>(x: &'a mut [T]) -> impl FnOnce(&Received<'_>) -> &'a mut [T] {
    |received| {
        received.copy_to(range::X, x);
        x
    }
}

impl<T: Real> TridiagonalPlan<T> {
    /// Solves systems in host memory, on the device or the CPU by [`Options::place`](super::Options::place). On the device: uploads,
    /// solves, checks, reads back; the device memory for it stays with the plan. On the CPU: [`solve_batch_on_cpu`](super::solve_batch_on_cpu),
    /// always checked.
    ///
    /// [`Options::check`](super::Options::check) determines the guarantee and the cost:
    ///
    /// - [`Check::Every`]: the answer's forward error is at most 0.1 by estimate, mostly a few units of roundoff. The device computes the
    ///   residual in the same submission. It reads the matrix, the right-hand sides and x once more, about as many bytes as the solve itself. The
    ///   host makes a pass over the entries. For strictly dominant rows, and dominant ones with right-hand sides of one sign, that is all. The CPU
    ///   judges all others in wider arithmetic, which takes longer than the solve, 60 to 400 ns per row and core; [`Algorithm::Auto`] and
    ///   [`Algorithm::Pivoting`] return the CPU's answer where it is better.
    /// - [`Check::Sampled`]: the same of the first solve of the plan, of every k-th, and of those whose status words report a failure. All others
    ///   are solved as by `Off`.
    /// - [`Check::Off`]: one submission and one read-back of x and the status words. No kernel of the residual is compiled, and the host does not
    ///   read the entries. NaN or infinity in the input or in x, a zero pivot, a singular pivoting partition and a broken promise of dominance are
    ///   errors; accuracy lost to small pivots or to a large condition number goes unnoticed, and the CPU replaces no answer. Use it
    ///   for dominant systems, with algorithms that carry the dominance.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::Singular`],
    /// [`Error::NearlySingular`], [`Error::Overflow`], [`Error::Underflow`]; of algorithms other than auto and pivoting
    /// [`Error::Breakdown`] and [`Error::Inaccurate`]; [`Error::NotDominant`]; [`Error::Options`] where the
    /// system's diagonal is of another kind than the plan's, [`Error::OutOfMemory`], [`Error::DeviceLost`]. With [`Check::Off`],
    /// any algorithm may return [`Error::Breakdown`] and [`Error::SingularPartition`], and none those that come from the check.
    pub fn solve(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
        if self.is_on_cpu {
            return self.solved_on_cpu(system, rhs).map(|(x, _)| x);
        }
        self.with_staging(system, rhs, |staging, _| {
            self.solve_staged(staging, || Ok(Given::scanned(system)), rhs, |received| received.values(range::X))
        })
    }

    /// As [`TridiagonalPlan::solve`], but writes the answer into `x`. After an error, the contents of `x` are unspecified.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`]; [`Error::Length`] also for `x`.
    pub fn solve_into(&self, system: &System<'_, T>, rhs: &[T], x: &mut [T]) -> Result<()> {
        check_target(rhs, x)?;
        if self.is_on_cpu {
            self.check_form(system)?;
            return on_cpu::solve_into(&self.shape, system, rhs, x, self.options.dominant).map(|_| ());
        }
        self.with_staging(system, rhs, |staging, _| {
            self.solve_staged(staging, || Ok(Given::scanned(system)), rhs, into(x)).map(|_| ())
        })
    }

    /// As [`TridiagonalPlan::solve`], with the accuracy and the time.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`].
    pub fn solve_reported(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Solution<T>> {
        if self.is_on_cpu {
            return self.reported_on_cpu(system, rhs);
        }
        self.with_staging(system, rhs, |staging, watch| {
            self.reported(staging, || Ok(Given::scanned(system)), rhs, watch)
        })
    }

    /// The answer from the CPU.
    fn solved_on_cpu(&self, system: &System<'_, T>, rhs: &[T]) -> Result<(Vec<T>, Judged)> {
        self.check_form(system)?;
        on_cpu::solved(&self.shape, system, rhs, self.options.dominant)
    }

    fn reported_on_cpu(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Solution<T>> {
        let mut watch = Stopwatch::start();
        let (x, Judged { forward_error, condition, .. }) = self.solved_on_cpu(system, rhs)?;
        watch.lap(|timing| &mut timing.solving);
        let residuals = Residuals::on_cpu(&self.shape, system, &x, rhs);
        watch.lap(|timing| &mut timing.checking);
        let timing = watch.timing();
        Ok(Solution {
            x,
            place: Place::Cpu,
            algorithm: Algorithm::Auto,
            forward_error: Some(forward_error),
            condition,
            replaced: 0,
            residuals: Some(residuals),
            seconds: timing.solving,
            timing,
        })
    }

    /// The measuring of the next solve; `None` if it is not checked.
    fn next_measuring<'a>(&self, staging: &'a Staging<T>) -> Option<&'a Measuring> {
        staging.measuring.as_ref().filter(|_| self.turns.next_is_checked(self.options.check))
    }

    /// The solve, the residual's norms where they are measured, and the copies of the results in one submission.
    fn submit(&self, staging: &Staging<T>, measuring: Option<&Measuring>) -> Result<Copies> {
        self.gpu.submit_read("a solve", staging.results(measuring), |pass| {
            staging.bound.record(pass);
            measuring.into_iter().for_each(|measuring| measuring.record(pass));
        })
    }

    /// The residual's norms of the staged x, where they are measured, and the copies.
    fn measure(&self, staging: &Staging<T>, measuring: Option<&Measuring>) -> Result<Copies> {
        self.gpu.submit_read("the residual", staging.results(measuring), |pass| {
            measuring.into_iter().for_each(|measuring| measuring.record(pass));
        })
    }

    /// Solves for the staged vectors; `given` returns what they hold, `take_x` takes the unknowns.
    pub(super) fn solve_staged<'a, X: AsMut<[T]>>(
        &self,
        staging: &Staging<T>,
        given: impl Fn() -> Result<Given<'a, T>>,
        rhs: &[T],
        take_x: impl FnOnce(&Received<'_>) -> X,
    ) -> Result<X> {
        let measuring = self.next_measuring(staging);
        let copies = self.submit(staging, measuring)?;
        // The host reads the entries while the device solves.
        let read = measuring.map(|_| given()).transpose();
        self.gpu.wait()?;
        let read = read?;
        pollster::block_on(async {
            let (mut x, findings) = self.received(staging, copies, measuring, take_x).await?;
            self.judged(staging, findings, || read.map_or_else(given, Ok), rhs, x.as_mut()).await?;
            Ok(x)
        })
    }

    /// A timed solve of the staged vectors; `given` returns what they hold.
    pub(super) fn reported<'a>(
        &self,
        staging: &Staging<T>,
        given: impl FnOnce() -> Result<Given<'a, T>>,
        rhs: &[T],
        mut watch: Stopwatch,
    ) -> Result<Solution<T>> {
        // One untimed run: the first run of a kernel may still be compiling.
        let warm_up = Duration::from_millis(1);
        let samples = PassTimer::new(&self.gpu)?.measure(warm_up, 1, |pass| staging.bound.record(pass))?;
        watch.lap(|timing| &mut timing.solving);
        let measuring = self.next_measuring(staging);
        let copies = self.measure(staging, measuring)?;
        self.gpu.wait()?;
        watch.lap(|timing| if measuring.is_some() { &mut timing.checking } else { &mut timing.downloading });
        let received = self.received(staging, copies, measuring, |received| received.values(range::X));
        let (mut x, findings): (Vec<T>, _) = pollster::block_on(received)?;
        watch.lap(|timing| &mut timing.downloading);
        let algorithm = self.ran(findings.0);
        let accuracy = pollster::block_on(self.judged(staging, findings, given, rhs, &mut x))?;
        watch.lap(|timing| &mut timing.checking);
        Ok(Solution {
            x,
            place: Place::Device,
            algorithm,
            forward_error: accuracy.as_ref().map(|accuracy| accuracy.judged.forward_error),
            condition: accuracy.as_ref().and_then(|accuracy| accuracy.judged.condition),
            replaced: accuracy.as_ref().map_or(0, |accuracy| accuracy.judged.replaced),
            residuals: accuracy.map(|accuracy| accuracy.residuals),
            seconds: samples.median(),
            timing: watch.timing(),
        })
    }

    /// As [`TridiagonalPlan::solve`], under any executor: the device is polled whenever the
    /// future is. On the CPU, the first poll solves.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`].
    pub async fn solve_async(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
        if self.is_on_cpu {
            return self.solved_on_cpu(system, rhs).map(|(x, _)| x);
        }
        let staging = self.prepare(system, rhs, &mut Stopwatch::start())?;
        let run = async {
            let measuring = self.next_measuring(&staging);
            let copies = self.submit(&staging, measuring)?;
            let received = self.received(&staging, copies, measuring, |received| received.values(range::X));
            let (mut x, findings): (Vec<T>, _) = received.await?;
            self.judged(&staging, findings, || Ok(Given::scanned(system)), rhs, &mut x).await.map(|_| x)
        };
        let result = run.await;
        self.keep(staging, result.is_ok());
        result
    }

    /// Takes x, the status words and the measures from copies.
    async fn received<X>(
        &self,
        staging: &Staging<T>,
        copies: Copies,
        measuring: Option<&Measuring>,
        take_x: impl FnOnce(&Received<'_>) -> X,
    ) -> Result<(X, Findings)> {
        let take = |received: &Received<'_>| {
            let x = take_x(received);
            let status = staging.bound.decode(&received.values(range::STATUS));
            (x, (status, measuring.map(|_| self.measured(received, range::NORMS))))
        };
        staging.read_back.received(&self.gpu, copies, take).await
    }

    /// Judges the answer of a solve that is checked, or whose status words report a failure, and puts better ones in its place; `None` for others.
    async fn judged<'a>(
        &self,
        staging: &Staging<T>,
        (status, measured): Findings,
        given: impl FnOnce() -> Result<Given<'a, T>>,
        rhs: &[T],
        x: &mut [T],
    ) -> Result<Option<Accuracy>> {
        let failure = status.check().err();
        if measured.is_none() && failure.is_none() {
            return Ok(None);
        }
        let (gpu, shape) = (&self.gpu, &self.shape);
        let Given { ref system, is_moderate } = given()?;
        self.explain_input(system, rhs, status)?;
        let measuring = staging.measuring.as_ref();
        let measure_again = async || {
            let take = |received: &Received<'_>| self.measured(received, range::NORMS);
            staging.read_back.received(gpu, self.measure(staging, measuring)?, take).await
        };
        let mut measured = match (measured, measuring, failure) {
            (Some(measured), ..) => measured,
            (None, None, Some(failure)) => return Err(failure),
            // A failure in a solve out of turn.
            (None, ..) => measure_again().await?,
        };
        let runs = self.ran(status);
        // A refinement's residual is not relative to the dominance.
        let is_refined = self.options.refinements > 0;
        let carries = !self.options.periodic && status.pivoted.is_none() && !is_refined;
        let carries = carries && runs.carries_dominance();
        let replaceable = matches!(self.algorithm, Algorithm::Auto | Algorithm::Pivoting);
        let broken = status.non_finite_result.is_some();
        // The device's bounds know of no underflow.
        let is_valid = !broken && is_moderate;
        let bounds: Vec<_> = measured.bounds.iter().map(|bounds| Some(Bounds { is_valid, ..*bounds })).collect();
        let candidate = Candidate { shape, system, rhs, bounds: &bounds, carries, replaceable };
        let judged = candidate.judged(x).map_err(|error| match (error, status.non_finite_result) {
            // A breakdown that the algorithm met explains more than a result that is no number.
            (Error::Inaccurate { .. }, Some((system, row))) => Error::Breakdown { system, row },
            (error, _) => error,
        })?;
        if judged.replaced > 0 {
            staging.x.write(gpu, 0, x)?;
            measured = measure_again().await?;
            staging.bound.reset_status();
        }
        // Unused entries may be NaN.
        let largest_entry = || {
            let entries = [system.lower, system.diag, system.upper].into_iter().flatten();
            entries.fold(0.0, |most: f64, entry| most.max(entry.to_f64().abs()))
        };
        let residuals = match may_overflow::<T>(&measured.bounds, is_moderate, largest_entry) {
            true => Residuals::on_cpu(shape, system, x, rhs),
            false => measured.residuals,
        };
        Ok(Some(Accuracy { judged, residuals }))
    }

    /// Finds the fault in the input by the status words.
    pub(super) fn explain_input(&self, system: &System<'_, T>, rhs: &[T], status: Status) -> Result<()> {
        let shape = &self.shape;
        if let Some((at, row)) = status.non_finite_input {
            let fault = system.not_finite(shape, rhs, at, row);
            return Err(fault.unwrap_or(match system.kind {
                // A ring's diagonal with its corner added overflowed.
                Diagonal::Value => Error::Breakdown { system: at, row },
                Diagonal::Excess => Error::NonFiniteInput { vector: "|lower| + |upper| + excess", system: at, row },
            }));
        }
        match status.not_dominant {
            Some(system) => Err(Error::NotDominant { system }),
            None => Ok(()),
        }
    }
}
