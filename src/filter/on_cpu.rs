//! Filters on the CPU.

use rayon::prelude::*;

use super::bank::Bank;
use super::cascade::Cascade;
use super::error_bound::Sensitivity;
use super::options::Direction;
use super::plain::{Filter, Outcome, Signal};
use super::verify::{Sequence, judge};
use crate::error::{Error, Result};
use crate::judge::answer::Answer;
use crate::plan::Shape;
use crate::real::Real;
use crate::recurrence::on_cpu::{Order, solve_sequences};

/// Outputs from the CPU with their accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CpuSolution<T> {
    /// The outputs, laid out as the shape says; 0 between sequences.
    pub y: Vec<T>,
    /// The state after the last row (the first, in reverse): per sequence as many numbers as the filter's order, one sequence after the other.
    pub final_state: Vec<T>,
    /// As [`Solution::forward_error`](super::Solution::forward_error).
    pub forward_error: f64,
}

/// Filters one sequence on the CPU, as [`solve_batch_on_cpu`].
///
/// # Errors
/// As [`solve_batch_on_cpu`].
pub fn solve_on_cpu<T: Real>(
    filter: impl Into<Cascade>,
    x: &[T],
    initial: &[T],
    direction: Direction,
) -> Result<CpuSolution<T>> {
    solve_batch_on_cpu(&Shape::single(x.len()), filter.into(), x, initial, direction)
}

/// Filters a batch of sequences on all cores of the CPU, in wider arithmetic than T with the coefficients as given, and rounds at the end. The
/// initial states have as many numbers per sequence as the filter's order, one sequence after the other; none for 0.
///
/// Vector lanes take sequences of a batch side by side, or slices of a long one. Per row on one core with AVX2 and FMA, orders 1 to 4:
/// batches 2.4 to 3.9 ns (f32) and 6 to 13 ns (f64), one long sequence 4 to 6.5 ns (f32) and 11 to 25 ns (f64). Bounding the errors takes up to 5 ms more per
/// section of each filter. Sequences without a good bound, all of a filter with a pole outside the unit circle, and all of a cascade are filtered row after row, which
/// takes several times as long, per section.
///
/// # Errors
/// [`Error::Shape`] for no rows, [`Error::Options`] for coefficients outside the range of T, [`Error::Length`], [`Error::NonFiniteInput`],
/// [`Error::NoDigits`], [`Error::Overflow`] where an output leaves the range of T, [`Error::Underflow`] if the largest falls below its normal
/// range.
pub fn solve_batch_on_cpu<T: Real>(
    shape: &Shape,
    filters: impl Into<Bank>,
    x: &[T],
    initial: &[T],
    direction: Direction,
) -> Result<CpuSolution<T>> {
    shape.validate_sequences()?;
    // As on the device, though only rows multiplied by rounded coefficients need it.
    let bank = &filters.into();
    bank.check_batch(shape.batch)?;
    for (at, filter) in bank.filters().iter().enumerate() {
        filter.check_range::<T>().map_err(|error| bank.of_filter(error, at))?;
    }
    let (order, rows) = (bank.order(), shape.matrix_len().ok_or_else(|| shape.past_addresses())?);
    let expected = bank.inputs(shape).min(rows);
    if x.len() != expected {
        return Err(Error::Length { vector: "x", expected: expected.to_string(), found: x.len() });
    }
    let states = shape.batch.saturating_mul(order);
    if !initial.is_empty() && initial.len() != states {
        let vector = if shape.batch == 1 { "the initial state" } else { "the initial states" };
        return Err(Error::Length { vector, expected: states.to_string(), found: initial.len() });
    }
    let in_order = Order { shape, direction };
    if let Some(at) = initial.iter().position(|value| !value.is_finite()) {
        let vector = if shape.batch == 1 { "the initial state" } else { "the initial states" };
        return Err(Error::NonFiniteInput { vector, system: at / order, row: in_order.row(0) });
    }
    // Without an early exit, so that the compiler vectorises the loop.
    if x.iter().fold(false, |bad, value| bad | !value.is_finite()) {
        let mut places = (0..shape.batch).flat_map(|system| (0..shape.n).map(move |row| (system, row)));
        if let Some((system, row)) = places.find(|&(system, row)| !x[bank.input_index(shape, system, row)].is_finite())
        {
            return Err(Error::NonFiniteInput { vector: "x", system, row });
        }
    }
    let sensitivity = |filter| Sensitivity::new::<T>(filter, shape.n);
    let sensitivities: Vec<_> = bank.filters().par_iter().map(sensitivity).collect();
    let filter = |system: usize| (&bank.filters()[bank.index(system)], &sensitivities[bank.index(system)]);
    let lanes = |system: usize| {
        let (filter, sensitivity) = filter(system);
        let lanes = filter.alone().zip(sensitivity.alone());
        lanes.map(|(coefficients, sensitivity)| Filter { coefficients, sensitivity })
    };
    let one_signal = Shape::single(shape.n);
    let signal = |system: usize| {
        let places = match bank.shares_input() {
            true => Order { shape: &one_signal, direction }.of(0),
            false => in_order.of(system),
        };
        let own = initial.get(system * order..(system + 1) * order).unwrap_or_default();
        let initial = std::array::from_fn(|i| own.get(i).copied().unwrap_or(T::ZERO));
        (system, Signal { n: shape.n, x: move |step: usize| x[places.at(step)], initial })
    };
    let widely = |(system, signal): &(usize, Signal<T, _>)| widely(filter(*system), *system, signal);
    let solve = |sequence: &(usize, Signal<T, _>)| {
        let found = lanes(sequence.0).and_then(|lanes| {
            let signal = &sequence.1;
            lanes.sliced(signal).or_else(|| lanes.together(&[signal]).pop().flatten())
        });
        found.map_or_else(|| widely(sequence), |found| Ok(Answer::rounded::<T>(found)))
    };
    let together = |sequences: &[(usize, Signal<T, _>)]| {
        if bank.has_several() {
            return sequences.iter().map(solve).collect();
        }
        let Some(lanes) = lanes(0) else { return sequences.iter().map(widely).collect() };
        let signals: Vec<_> = sequences.iter().map(|(_, signal)| signal).collect();
        let found = lanes.together(&signals).into_iter().zip(sequences);
        found
            .map(|(found, sequence)| found.map_or_else(|| widely(sequence), |found| Ok(Answer::rounded::<T>(found))))
            .collect()
    };
    let solved = solve_sequences(in_order, signal, solve, together).map_err(|error| match error {
        Error::Overflow { system, row, precision } => Error::Overflow { system, row: in_order.row(row), precision },
        other => other,
    });
    solved.map(|(y, states, forward_error)| CpuSolution { y, final_state: states.concat(), forward_error })
}

/// In arithmetic that finds all outputs that the numbers determine.
fn widely<T: Real>(
    (filter, sensitivity): (&Cascade, &Sensitivity),
    system: usize,
    signal: &Signal<T, impl Fn(usize) -> T>,
) -> Result<Answer<Outcome<T>>> {
    let x: Vec<T> = (0..signal.n).map(&signal.x).collect();
    let initial = &signal.initial[..filter.order()];
    // Zeros before the first input stay zeros: growth of the filter over these rows does not count.
    let is_zero = |value: &T| *value == T::ZERO;
    let first = if initial.iter().all(is_zero) { x.iter().position(|value| !is_zero(value)) } else { None };
    let first = first.unwrap_or(0);
    let own = if first > 0 { Some(Sensitivity::new::<T>(filter, x.len() - first)) } else { None };
    let sequence = Sequence { system, x: &x[first..], initial, device: None };
    let answer = judge(filter, own.as_ref().unwrap_or(sensitivity), &sequence).map_err(|error| match error {
        Error::Overflow { system, row, precision } => Error::Overflow { system, row: first + row, precision },
        other => other,
    })?;
    // Without device outputs, the judge always returns its own.
    let (later, state) = answer.better.unwrap_or_default();
    let better = Some(([vec![T::ZERO; first], later].concat(), state));
    Ok(Answer { better, forward_error: answer.forward_error })
}
