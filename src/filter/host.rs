//! Solves from and to host slices.

use rayon::prelude::*;

use super::on_cpu::{CpuSolution, solve_batch_on_cpu};
use super::options::Algorithm;
use super::plan::FilterPlan;
use super::signals::DeviceSignals;
use super::verify::{Sequence, judge};
use crate::check::Check;
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, Stopwatch, Timing};
use crate::place::Place;
use crate::plan::{Runs, Solved};
use crate::real::Real;

/// Outputs with their accuracy and time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The outputs, laid out as the plan's shape says.
    pub y: Vec<T>,
    /// The states after the last row (the first, in reverse), which are the initial ones of a continuation: per sequence as many numbers as
    /// the filter's order (the highest of a bank), one sequence after the other.
    pub final_states: Vec<T>,
    /// Where it ran: [`Place::Device`] or [`Place::Cpu`].
    pub place: Place,
    /// The algorithm that ran on the device; [`Algorithm::Auto`] if the CPU filtered ([`solve_on_cpu`](super::solve_on_cpu)).
    pub algorithm: Algorithm,
    /// ||y^ - y|| / ||y|| in the maximum norm, estimated: of the worst sequence, against the exact outputs for signals and coefficients
    /// as given. At most 0.1. `None` if the solve was not checked ([`Options::check`](super::Options::check)).
    pub forward_error: Option<f64>,
    /// Number of sequences whose device outputs were replaced by the CPU's.
    pub replaced: usize,
    /// Seconds. Of [`FilterPlan::solve_reported`], the solve alone, by the device's timestamps if it has them. Of others, from submission to
    /// completion by the host's clock, with copies for the read-back. On the CPU with the judgement.
    pub seconds: f64,
    /// Where the time of the call went; [`FilterPlan::timing`] has that of the plan.
    pub timing: Timing,
}

impl<T: Real> FilterPlan<T> {
    /// Filters sequences in host memory from state 0, on the device or the CPU by [`Options::place`](super::Options::place). On the device:
    /// uploads, solves, reads back, checks. On the CPU: [`solve_batch_on_cpu`](super::solve_batch_on_cpu).
    ///
    /// # Errors
    /// As [`FilterPlan::solve_from`].
    pub fn solve(&self, x: &[T]) -> Result<Vec<T>> {
        self.solve_from(x, None).map(|solution| solution.y)
    }

    /// As [`FilterPlan::solve`], from the given states, laid out as [`Solution::final_states`]; returns the final states too.
    ///
    /// [`Options::check`](super::Options::check) determines the guarantee and the cost:
    ///
    /// - [`Check::Every`]: the CPU bounds the error of each sequence in one pass. If the bound is large, it filters the sequence in wider
    ///   arithmetic, which takes as long as a solve on the CPU; these outputs replace worse ones. The estimate of the forward error is at most 0.1.
    /// - [`Check::Sampled`]: the same of the first solve of the plan, of every k-th, and of those with outputs or states past the range. All
    ///   others are solved as by `Off`.
    /// - [`Check::Off`]: inputs, outputs and states that are not finite are errors, nothing else.
    ///
    /// Without a check of each solve, [`FilterPlan::rounding_noise`] must allow for a recorded solve: others return [`Error::Noisy`].
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::NoDigits`], [`Error::Overflow`] or [`Error::Underflow`] if outputs leave the
    /// precision's range, [`Error::OutOfMemory`], [`Error::DeviceLost`]; with another option than [`Check::Every`] [`Error::Noisy`], with
    /// [`Check::Off`] [`Error::Breakdown`] where an output or state is not finite.
    pub fn solve_from(&self, x: &[T], initial: Option<&[T]>) -> Result<Solution<T>> {
        self.solved(x, initial, Runs::Once)
    }

    /// As [`FilterPlan::solve_from`], with the time of the solve alone: repeats it for about a millisecond first.
    ///
    /// # Errors
    /// As [`FilterPlan::solve_from`].
    pub fn solve_reported(&self, x: &[T], initial: Option<&[T]>) -> Result<Solution<T>> {
        self.solved(x, initial, Runs::Timed)
    }

    fn solved(&self, x: &[T], initial: Option<&[T]>, runs: Runs) -> Result<Solution<T>> {
        let mut watch = Stopwatch::start();
        let Self { gpu, shape, .. } = self;
        let (order, rows) = (self.bank.order(), shape.matrix_len().unwrap_or(usize::MAX));
        let inputs = self.bank.inputs(shape);
        let states = shape.batch.saturating_mul(order);
        let given = [("x", Some(x), inputs), ("the initial states", initial, states)];
        for (vector, values, expected) in given {
            if let Some(found) = values.map(<[T]>::len).filter(|found| *found != expected) {
                return Err(Error::Length { vector, expected: expected.to_string(), found });
            }
        }
        let in_order = || (0..shape.n).map(|row| if self.reverse() { shape.n - 1 - row } else { row });
        let first_of = |values: &[T], system: usize| {
            in_order().find(|&row| !values[self.bank.input_index(shape, system, row)].is_finite())
        };
        if let Some(at) = initial.and_then(|values| values.iter().position(|value| !value.is_finite())) {
            let row = if self.reverse() { shape.n - 1 } else { 0 };
            return Err(Error::NonFiniteInput { vector: "the initial states", system: at / order, row });
        }
        let signals = if self.bank.shares_input() { 1 } else { shape.batch };
        let found = (0..signals).find_map(|system| first_of(x, system).map(|row| (system, row)));
        if let Some((system, row)) = found {
            return Err(Error::NonFiniteInput { vector: "x", system, row });
        }
        watch.lap(|timing| &mut timing.checking);
        if self.options.is_on_cpu()? {
            return self.solve_on_cpu(x, initial, watch);
        }
        let (given_x, given_initial) = (x, initial);
        let x = DeviceVector::from_slice(gpu, "x", x)?;
        let initial = initial.map(|values| DeviceVector::from_slice(gpu, "initial states", values)).transpose()?;
        let y = DeviceVector::<T>::new(gpu, "y", rows)?;
        let last = DeviceVector::<T>::new(gpu, "final states", states)?;
        watch.lap(|timing| &mut timing.uploading);
        let signals = DeviceSignals {
            x: x.as_slice(),
            y: Some(y.as_slice()),
            initial: initial.as_ref().map(DeviceVector::as_slice),
            last: Some(last.as_slice()),
        };
        let bound = match self.options.check {
            Check::Every => self.bind_noisy(&signals)?,
            Check::Sampled(_) | Check::Off => self.bind(&signals)?,
        };
        watch.lap(|timing| &mut timing.planning);
        let Solved { values: [y, final_states], status, seconds } =
            bound.solve_and_read([&y, &last], runs, &mut watch)?;
        let mut solution = Solution {
            y,
            final_states,
            place: Place::Device,
            algorithm: self.algorithm,
            forward_error: None,
            replaced: 0,
            seconds,
            timing: Timing::default(),
        };
        let failure = status.non_finite_result.map(|(system, row)| Error::Breakdown { system, row });
        if self.turns.next_is_judged(self.options.check, failure)? {
            self.judge(given_x, given_initial, &mut solution)?;
        }
        watch.lap(|timing| &mut timing.checking);
        Ok(Solution { timing: watch.timing(), ..solution })
    }

    /// Filters on the CPU; `watch` has run since the start.
    fn solve_on_cpu(&self, x: &[T], initial: Option<&[T]>, mut watch: Stopwatch) -> Result<Solution<T>> {
        let Self { shape, bank, options, .. } = self;
        let filtered = solve_batch_on_cpu(shape, bank, x, initial.unwrap_or_default(), options.direction)?;
        let CpuSolution { y, final_state, forward_error } = filtered;
        watch.lap(|timing| &mut timing.solving);
        let timing = watch.timing();
        Ok(Solution {
            y,
            final_states: final_state,
            place: Place::Cpu,
            algorithm: Algorithm::Auto,
            forward_error: Some(forward_error),
            replaced: 0,
            seconds: timing.solving,
            timing,
        })
    }

    /// Judges all sequences, and replaces the device's outputs by better ones.
    fn judge(&self, x: &[T], initial: Option<&[T]>, solution: &mut Solution<T>) -> Result<()> {
        let Self { shape, bank, sensitivities, .. } = self;
        let order = bank.order();
        let row = |step: usize| if self.reverse() { shape.n - 1 - step } else { step };
        let index = |system: usize, step: usize| shape.matrix_index(system, row(step));
        let zeros = vec![T::ZERO; order];
        let judged = |system: usize| {
            let x: Vec<_> = (0..shape.n).map(|step| x[bank.input_index(shape, system, row(step))]).collect();
            let y: Vec<_> = (0..shape.n).map(|step| solution.y[index(system, step)]).collect();
            let initial = initial.map_or(&zeros[..], |all| &all[system * order..(system + 1) * order]);
            let state = &solution.final_states[system * order..(system + 1) * order];
            let filter = bank.index(system);
            judge(
                &bank.filters()[filter],
                &sensitivities[filter],
                &Sequence { system, x: &x, initial, device: Some([&y, state]) },
            )
        };
        let answers = (0..shape.batch).into_par_iter().map(judged).collect::<Result<Vec<_>>>();
        let answers = answers.map_err(|error| match error {
            Error::Overflow { system, row, precision } if self.reverse() => {
                Error::Overflow { system, row: shape.n - 1 - row, precision }
            }
            other => other,
        })?;
        solution.forward_error = answers.iter().map(|answer| answer.forward_error).reduce(f64::max);
        for (system, answer) in answers.into_iter().enumerate() {
            if let Some((y, state)) = answer.better {
                solution.replaced += 1;
                y.into_iter().enumerate().for_each(|(step, y)| solution.y[index(system, step)] = y);
                solution.final_states[system * order..(system + 1) * order].copy_from_slice(&state);
            }
        }
        Ok(())
    }
}
