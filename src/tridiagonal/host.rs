//! Solves from and to host slices: submitted, judged, and explained where the input is at fault.

use std::time::{Duration, Instant};

use super::algorithms::Algorithm;
use super::bounds::{Bounds, may_overflow};
use super::judged::{Candidate, Judged};
use super::on_cpu;
use super::options::Diagonal;
use super::plan::TridiagonalPlan;
use super::residual::Residuals;
use super::staging::{Staging, range};
use super::system::System;
use crate::error::{Error, Result};
use crate::gpu::{Copies, PassTimer, Received};
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
    /// numbers as given. At most 0.1.
    pub forward_error: f64,
    /// Skeel's condition cond(A, x) = || |A^-1| |A| |x| || / ||x|| in the maximum norm: the factor by which relative errors of the
    /// entries may grow in x. The largest over the systems that the CPU judged without using dominance; `None` if there were none.
    pub condition: Option<f64>,
    /// Number of right-hand sides whose device answer was replaced by the CPU's.
    pub replaced: usize,
    /// How well x solves the systems, computed where it ran.
    pub residuals: Residuals,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's; on the CPU with the judgement.
    pub seconds: f64,
}

/// The accuracy of the answer of a host solve.
struct Judgement {
    algorithm: Algorithm,
    judged: Judged,
    residuals: Residuals,
}

/// # Errors
/// [`Error::Length`] for another length than that of `rhs`.
pub(super) fn check_target<T>(rhs: &[T], x: &[T]) -> Result<()> {
    match x.len() == rhs.len() {
        true => Ok(()),
        false => Err(Error::Length { vector: "x", expected: rhs.len().to_string(), found: x.len() }),
    }
}

impl<T: Real> TridiagonalPlan<T> {
    /// Solves systems in host memory, on the device or the CPU by [`Options::place`](super::Options::place). On the device: uploads,
    /// solves, judges, reads back; the device memory for it stays with the plan. On the CPU: [`solve_batch_on_cpu`](super::solve_batch_on_cpu).
    ///
    /// The answer's forward error is at most 0.1 by estimate, mostly a few units of roundoff. Strictly dominant rows, and dominant
    /// ones with right-hand sides of one sign, are judged on the device. The CPU judges all others in wider arithmetic;
    /// [`Algorithm::Auto`] and [`Algorithm::Pivoting`] return the CPU's answer where it is better.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::Singular`],
    /// [`Error::NearlySingular`], [`Error::Overflow`], [`Error::Underflow`]; of algorithms other than auto and pivoting
    /// [`Error::Breakdown`] and [`Error::Inaccurate`]; [`Error::Options`] where the
    /// system's diagonal is of another kind than the plan's, [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn solve(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
        if self.is_on_cpu {
            return self.solved_on_cpu(system, rhs).map(|(x, _)| x);
        }
        self.with_staging(system, rhs, |staging| {
            let mut x = vec![T::ZERO; rhs.len()];
            self.solve_staged(staging, system, rhs, &mut x)?;
            Ok(x)
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
        self.with_staging(system, rhs, |staging| self.solve_staged(staging, system, rhs, x))
    }

    /// As [`TridiagonalPlan::solve`], with the accuracy and the time.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`].
    pub fn solve_reported(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Solution<T>> {
        if self.is_on_cpu {
            return self.reported_on_cpu(system, rhs);
        }
        self.with_staging(system, rhs, |staging| self.reported(staging, system, rhs))
    }

    /// The answer from the CPU.
    fn solved_on_cpu(&self, system: &System<'_, T>, rhs: &[T]) -> Result<(Vec<T>, Judged)> {
        self.check_form(system)?;
        on_cpu::solved(&self.shape, system, rhs, self.options.dominant)
    }

    fn reported_on_cpu(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Solution<T>> {
        let start = Instant::now();
        let (x, Judged { forward_error, condition, .. }) = self.solved_on_cpu(system, rhs)?;
        let seconds = start.elapsed().as_secs_f64();
        let residuals = Residuals::on_cpu(&self.shape, system, &x, rhs);
        let (place, algorithm) = (Place::Cpu, Algorithm::Auto);
        Ok(Solution { x, place, algorithm, forward_error, condition, replaced: 0, residuals, seconds })
    }

    /// The solve, the residual's norms and the copies of both in one submission.
    fn submit(&self, staging: &Staging<T>) -> Result<Copies> {
        self.gpu.submit_read("a solve", &staging.read_back, |pass| {
            staging.bound.record(pass);
            staging.measuring.record(pass);
        })
    }

    /// The residual's norms of the staged x.
    fn measure(&self, staging: &Staging<T>) -> Result<Copies> {
        self.gpu.submit_read("the residual", &staging.read_back, |pass| staging.measuring.record(pass))
    }

    /// Solves for the staged vectors.
    pub(super) fn solve_staged(
        &self,
        staging: &Staging<T>,
        system: &System<'_, T>,
        rhs: &[T],
        x: &mut [T],
    ) -> Result<()> {
        let copies = self.submit(staging)?;
        self.gpu.wait()?;
        pollster::block_on(self.judged(staging, copies, system, rhs, x)).map(|_| ())
    }

    /// A timed solve of the staged vectors.
    pub(super) fn reported(&self, staging: &Staging<T>, system: &System<'_, T>, rhs: &[T]) -> Result<Solution<T>> {
        // One untimed run: the first run of a kernel may still be compiling.
        let warm_up = Duration::from_millis(1);
        let samples = PassTimer::new(&self.gpu)?.measure(warm_up, 1, |pass| staging.bound.record(pass))?;
        let copies = self.measure(staging)?;
        self.gpu.wait()?;
        let mut x = vec![T::ZERO; rhs.len()];
        let judgement = pollster::block_on(self.judged(staging, copies, system, rhs, &mut x))?;
        let Judgement { algorithm, judged: Judged { forward_error, condition, replaced }, residuals } = judgement;
        let (place, seconds) = (Place::Device, samples.median());
        Ok(Solution { x, place, algorithm, forward_error, condition, replaced, residuals, seconds })
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
        let staging = self.prepare(system, rhs)?;
        let run = async {
            let copies = self.submit(&staging)?;
            let mut x = vec![T::ZERO; rhs.len()];
            self.judged(&staging, copies, system, rhs, &mut x).await.map(|_| x)
        };
        let result = run.await;
        self.keep(staging, result.is_ok());
        result
    }

    /// The answer of a solve, judged.
    async fn judged(
        &self,
        staging: &Staging<T>,
        copies: Copies,
        system: &System<'_, T>,
        rhs: &[T],
        x: &mut [T],
    ) -> Result<Judgement> {
        let (gpu, shape) = (&self.gpu, &self.shape);
        let take = |received: &Received<'_>| {
            received.copy_to(range::X, x);
            let status = staging.bound.decode(&received.values(range::STATUS));
            (status, self.measured(received, range::NORMS))
        };
        let (status, mut measured) = staging.read_back.received(gpu, copies, take).await?;
        self.explain_input(system, rhs, status)?;
        let runs = self.ran(status);
        // A refinement's residual is not relative to the dominance.
        let is_refined = self.options.refinements > 0;
        let carries = !self.options.periodic && status.pivoted.is_none() && !is_refined;
        let carries = carries && runs.carries_dominance();
        let replaceable = matches!(self.algorithm, Algorithm::Auto | Algorithm::Pivoting);
        let broken = status.non_finite_result.is_some();
        // The device's bounds know of no underflow.
        let is_moderate = system.is_moderate();
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
            let take = |received: &Received<'_>| self.measured(received, range::NORMS);
            measured = staging.read_back.received(gpu, self.measure(staging)?, take).await?;
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
        Ok(Judgement { algorithm: runs, judged, residuals })
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
