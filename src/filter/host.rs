//! Solves from and to host slices.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::on_cpu::{CpuSolution, solve_on_cpu};
use super::options::Algorithm;
use super::plan::FilterPlan;
use super::signals::DeviceSignals;
use super::verify::{Sequence, judge};
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, PassTimer};
use crate::place::Place;
use crate::real::Real;

/// Outputs with their accuracy and time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The outputs, laid out as the inputs.
    pub y: Vec<T>,
    /// The states after the last row (the first, in reverse), which are the initial ones of a continuation: per sequence as many numbers as
    /// the filter's order, one sequence after the other.
    pub final_states: Vec<T>,
    /// Where it ran: [`Place::Device`] or [`Place::Cpu`].
    pub place: Place,
    /// The algorithm that ran on the device; [`Algorithm::Auto`] if the CPU filtered ([`solve_on_cpu`](super::solve_on_cpu)).
    pub algorithm: Algorithm,
    /// ||y^ - y|| / ||y|| in the maximum norm, estimated: of the worst sequence, against the exact outputs for signals and coefficients
    /// as given. At most 0.1.
    pub forward_error: f64,
    /// Number of sequences whose device outputs were replaced by the CPU's.
    pub replaced: usize,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's; on the CPU with the judgement.
    pub seconds: f64,
}

impl<T: Real> FilterPlan<T> {
    /// Filters sequences in host memory from state 0, on the device or the CPU by [`Options::place`](super::Options::place). On the device:
    /// uploads, solves, reads back, judges. On the CPU: [`solve_on_cpu`](super::solve_on_cpu), one sequence per core.
    ///
    /// # Errors
    /// As [`FilterPlan::solve_from`].
    pub fn solve(&self, x: &[T]) -> Result<Vec<T>> {
        self.solve_from(x, None).map(|solution| solution.y)
    }

    /// As [`FilterPlan::solve`], from the given states, laid out as [`Solution::final_states`]; returns the final states too.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::NoDigits`], [`Error::Overflow`] or [`Error::Underflow`] if outputs leave the
    /// precision's range, [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn solve_from(&self, x: &[T], initial: Option<&[T]>) -> Result<Solution<T>> {
        let Self { gpu, shape, .. } = self;
        let (order, rows) = (self.coefficients.order(), shape.matrix_len().unwrap_or(usize::MAX));
        let states = shape.batch.saturating_mul(order);
        let given = [("x", Some(x), rows), ("the initial states", initial, states)];
        for (vector, values, expected) in given {
            if let Some(found) = values.map(<[T]>::len).filter(|found| *found != expected) {
                return Err(Error::Length { vector, expected: expected.to_string(), found });
            }
        }
        let in_order = || (0..shape.n).map(|row| if self.reverse() { shape.n - 1 - row } else { row });
        let first_of =
            |values: &[T], system: usize| in_order().find(|&row| !values[shape.matrix_index(system, row)].is_finite());
        if let Some(at) = initial.and_then(|values| values.iter().position(|value| !value.is_finite())) {
            let row = if self.reverse() { shape.n - 1 } else { 0 };
            return Err(Error::NonFiniteInput { vector: "the initial states", system: at / order, row });
        }
        let found = (0..shape.batch).find_map(|system| first_of(x, system).map(|row| (system, row)));
        if let Some((system, row)) = found {
            return Err(Error::NonFiniteInput { vector: "x", system, row });
        }
        if self.options.is_on_cpu()? {
            return self.solve_on_cpu(x, initial);
        }
        let (given_x, given_initial) = (x, initial);
        let x = DeviceVector::from_slice(gpu, "x", x)?;
        let initial = initial.map(|values| DeviceVector::from_slice(gpu, "initial states", values)).transpose()?;
        let y = DeviceVector::<T>::new(gpu, "y", rows)?;
        let last = DeviceVector::<T>::new(gpu, "final states", states)?;
        let bound = self.bind_noisy(&DeviceSignals {
            x: x.as_slice(),
            y: Some(y.as_slice()),
            initial: initial.as_ref().map(DeviceVector::as_slice),
            last: Some(last.as_slice()),
        })?;
        // One untimed run: the first run of a kernel may still be compiling.
        let samples = PassTimer::new(gpu)?.measure(Duration::from_millis(1), 1, |pass| bound.record(pass))?;
        let mut solution = Solution {
            y: y.read(gpu)?,
            final_states: last.read(gpu)?,
            place: Place::Device,
            algorithm: self.algorithm,
            forward_error: 0.0,
            replaced: 0,
            seconds: samples.median(),
        };
        self.judge(given_x, given_initial, &mut solution)?;
        Ok(solution)
    }

    /// Filters checked sequences on the CPU.
    fn solve_on_cpu(&self, x: &[T], initial: Option<&[T]>) -> Result<Solution<T>> {
        let start = Instant::now();
        let Self { shape, coefficients, options, .. } = self;
        let order = coefficients.order();
        let index = |system: usize, row: usize| shape.matrix_index(system, row);
        let filtered = |system: usize| {
            let x: Vec<T> = (0..shape.n).map(|row| x[index(system, row)]).collect();
            let initial = initial.map_or(&[][..], |all| &all[system * order..][..order]);
            solve_on_cpu(coefficients, &x, initial, options.direction).map_err(|error| error.of_system(system))
        };
        let answers: Vec<_> = (0..shape.batch).into_par_iter().map(filtered).collect();
        let mut solution = Solution {
            y: vec![T::ZERO; x.len()],
            final_states: Vec::with_capacity(shape.batch * order),
            place: Place::Cpu,
            algorithm: Algorithm::Auto,
            forward_error: 0.0,
            replaced: 0,
            seconds: 0.0,
        };
        // Of several errors, the first sequence's.
        for (system, answer) in answers.into_iter().enumerate() {
            let CpuSolution { y, final_state, forward_error } = answer?;
            y.into_iter().enumerate().for_each(|(row, y)| solution.y[index(system, row)] = y);
            solution.final_states.extend(final_state);
            solution.forward_error = solution.forward_error.max(forward_error);
        }
        solution.seconds = start.elapsed().as_secs_f64();
        Ok(solution)
    }

    /// Judges all sequences, and replaces the device's outputs by better ones.
    fn judge(&self, x: &[T], initial: Option<&[T]>, solution: &mut Solution<T>) -> Result<()> {
        let Self { shape, coefficients, sensitivity, .. } = self;
        let order = coefficients.order();
        let index = |system: usize, step: usize| {
            shape.matrix_index(system, if self.reverse() { shape.n - 1 - step } else { step })
        };
        let zeros = vec![T::ZERO; order];
        let judged = |system: usize| {
            let of = |values: &[T]| (0..shape.n).map(|step| values[index(system, step)]).collect::<Vec<_>>();
            let (x, y) = (of(x), of(&solution.y));
            let initial = initial.map_or(&zeros[..], |all| &all[system * order..(system + 1) * order]);
            let state = &solution.final_states[system * order..(system + 1) * order];
            judge(coefficients, sensitivity, &Sequence { system, x: &x, initial, device: Some([&y, state]) })
        };
        let answers = (0..shape.batch).into_par_iter().map(judged).collect::<Result<Vec<_>>>();
        let answers = answers.map_err(|error| match error {
            Error::Overflow { system, row, precision } if self.reverse() => {
                Error::Overflow { system, row: shape.n - 1 - row, precision }
            }
            other => other,
        })?;
        for (system, answer) in answers.into_iter().enumerate() {
            solution.forward_error = solution.forward_error.max(answer.forward_error);
            if let Some((y, state)) = answer.better {
                solution.replaced += 1;
                y.into_iter().enumerate().for_each(|(step, y)| solution.y[index(system, step)] = y);
                solution.final_states[system * order..(system + 1) * order].copy_from_slice(&state);
            }
        }
        Ok(())
    }
}
