//! Plans: a filter for a shape, compiled, with its scratch and the powers of its matrix.

use std::marker::PhantomData;
use std::time::Duration;

use rayon::prelude::*;

use super::coefficients::Coefficients;
use super::kernels::{FilterAccess, permutation};
use super::options::{Algorithm, Direction, Options};
use super::powers::Powers;
use super::programs::{Program, program};
use super::sensitivity::Sensitivity;
use super::signals::DeviceSignals;
use super::verify::{Sequence, judge};
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, Gpu, PassTimer};
use crate::judge::thresholds::MOST_FILTER_NOISE;
use crate::plan::{
    Bound, RowAccess, Shape, bind_with, check_binding, check_scratch, check_sequences, plan_accessors, sequence_slicing,
};
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
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// ||y^ - y|| / ||y|| in the maximum norm, estimated: of the worst sequence, against the exact outputs for signals and coefficients
    /// as given. At most 0.1.
    pub forward_error: f64,
    /// Number of sequences whose device outputs were replaced by the CPU's.
    pub replaced: usize,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's.
    pub seconds: f64,
}

/// A filter of every sequence of a [`Shape`], planned once.
///
/// Owns the scratch between the dispatches. Solves bound from one plan share it, which is safe on the device's one queue.
#[derive(Debug)]
pub struct FilterPlan<T> {
    gpu: Gpu,
    shape: Shape,
    coefficients: Coefficients,
    options: Options,
    algorithm: Algorithm,
    sensitivity: Sensitivity,
    program: Program,
    scratch: Vec<wgpu::Buffer>,
    marker: PhantomData<T>,
}

impl<T: Real> FilterPlan<T> {
    /// Compiles the kernels, allocates the scratch, and computes the powers of the filter's matrix.
    ///
    /// # Errors
    /// [`Error::Shape`] for sizes of 0, strides that make entries share a place, or several columns; [`Error::Limit`] if a vector or the
    /// scratch is larger than one binding; [`Error::Unsupported`] for f64 without `SHADER_F64`; [`Error::Unstable`] for a filter whose
    /// response grows past the precision's range within a sequence; [`Error::Options`] as [`Coefficients::numbers`];
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`]; [`Error::Kernel`].
    pub fn new(gpu: &Gpu, shape: Shape, coefficients: &Coefficients, options: Options) -> Result<Self> {
        let params = check_sequences::<T>(gpu, &shape, "each of x and y")?;
        check_numbers::<T>(coefficients, shape.n)?;
        let sensitivity = Sensitivity::new::<T>(coefficients, shape.n);
        let capabilities = gpu.proven_capabilities()?;
        let sequence_slicing = sequence_slicing(capabilities, T::PRECISION, &params);
        let algorithm = match options.algorithm {
            Algorithm::Auto => Algorithm::ThreeLaunch,
            named => named,
        };
        let reverse = options.direction == Direction::Reverse;
        let program = program::<T>(capabilities, coefficients, sequence_slicing, params, reverse);
        for scratch in &program.scratch {
            check_scratch(gpu, algorithm.name(), scratch.bytes, T::PRECISION)?;
        }
        let scratch = program.allocate(gpu)?;
        let coefficients = *coefficients;
        let gpu = gpu.clone();
        let plan =
            Self { gpu, shape, coefficients, options, algorithm, sensitivity, program, scratch, marker: PhantomData };
        let form = plan.form(RowAccess::of(&shape), false);
        for step in &plan.program.steps {
            plan.gpu.kernel(&permutation(step.kernel, T::PRECISION, form))?;
        }
        Ok(plan)
    }

    fn form(&self, rows: RowAccess, writable_inputs: bool) -> FilterAccess {
        let reverse = self.options.direction == Direction::Reverse;
        FilterAccess { order: self.coefficients.order() as u32, rows, writable_inputs, reverse }
    }

    plan_accessors!();

    /// The coefficients.
    pub fn coefficients(&self) -> &Coefficients {
        &self.coefficients
    }

    /// The algorithm that was chosen; never [`Algorithm::Auto`].
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// [`Coefficients::rounding_noise`] over a sequence.
    pub fn rounding_noise(&self) -> f64 {
        self.sensitivity.noise::<T>()
    }

    /// Bytes of device memory that a solve reads and writes per row, without the caller's states.
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// Ties the plan to vectors in device memory. Allocates bind groups, parameters and status words. Compiles again if inputs share a
    /// buffer with a written vector. Recording the result allocates nothing.
    ///
    /// The [`Status`](crate::tridiagonal::Status) has the first row with an input that is not finite (for a state, the row next to it), and
    /// the first row whose output or state left the range.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`], [`Error::Overlap`];
    /// [`Error::Limit`] for states that are larger than one binding; [`Error::Noisy`] if the rounding error may exceed one per cent
    /// of the largest output: recorded solves are not judged.
    pub fn bind(&self, signals: &DeviceSignals<'_, T>) -> Result<Bound> {
        let noise = self.rounding_noise();
        if noise > MOST_FILTER_NOISE {
            return Err(Error::Noisy { rows: self.shape.n, noise, precision: T::PRECISION });
        }
        self.bind_noisy(signals)
    }

    /// As [`FilterPlan::bind`], for any rounding error.
    fn bind_noisy(&self, signals: &DeviceSignals<'_, T>) -> Result<Bound> {
        let Self { gpu, shape, program, scratch, .. } = self;
        gpu.alive()?;
        let order = self.coefficients.order();
        if signals.initial.is_some() || signals.last.is_some() {
            let states = (shape.batch as u64).saturating_mul(order as u64).saturating_mul(T::PRECISION.bytes());
            check_binding(gpu, "the states before or behind all sequences", states)?;
        }
        let no_states = DeviceSignals::no_states(gpu)?;
        let (vectors, last) = signals.vectors(shape, order, &no_states);
        bind_with(gpu, shape, program, scratch, &vectors, &[last], |kernel, rows, writable_inputs| {
            permutation(kernel, T::PRECISION, self.form(rows, writable_inputs))
        })
    }

    /// Filters sequences in host memory from state 0: uploads, solves, reads back.
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
            algorithm: self.algorithm,
            forward_error: 0.0,
            replaced: 0,
            seconds: samples.median(),
        };
        self.judge(given_x, given_initial, &mut solution)?;
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
            judge(coefficients, sensitivity, &Sequence { system, x: &x, initial, y: Some(&y) })
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

    fn reverse(&self) -> bool {
        self.options.direction == Direction::Reverse
    }
}

/// Checks that coefficients, and their powers over a sequence, are in the range of T.
fn check_numbers<T: Real>(coefficients: &Coefficients, rows: usize) -> Result<()> {
    coefficients.numbers::<T>()?;
    let (powers, precision) = (Powers::new(coefficients), T::PRECISION);
    let possible = powers.rows_within::<T>(rows as u64) as usize;
    if possible < rows {
        return Err(Error::Unstable { rows, possible, precision });
    }
    Ok(())
}
