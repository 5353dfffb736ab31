//! Solves on the CPU.

use rayon::prelude::*;

use super::options::Direction;
use super::system::{Coefficient, Recurrence, check_finite, check_lengths};
use crate::error::{Error, Result};
use crate::judge::answer::Answer;
use crate::judge::lanes::LANES;
use crate::judge::recurrence::Sequence;
use crate::plan::{Scattered, Shape};
use crate::real::Real;

/// Values from the CPU with their accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CpuSolution<T> {
    /// The values, laid out as the coefficients; infinite past the range of T. 0 between sequences.
    pub w: Vec<T>,
    /// As [`Solution::forward_error`](super::Solution::forward_error).
    pub forward_error: f64,
}

/// The value of a row's coefficient, which is a number or a vector.
pub(super) fn value<T: Real>(part: &Coefficient<'_, T>, at: usize) -> T {
    match part {
        Coefficient::Each(values) => values[at],
        Coefficient::Constant(value) => *value,
        // Rejected before.
        Coefficient::Computed(_) => T::ZERO,
    }
}

/// A coefficient that is read without a branch.
#[derive(Clone, Copy)]
pub(super) struct Part<'a, T> {
    values: &'a [T],
    /// 0 for a constant.
    stride: usize,
}

impl<'a, T: Real> Part<'a, T> {
    pub fn new(part: &'a Coefficient<'a, T>) -> Self {
        match part {
            Coefficient::Each(values) => Self { values, stride: 1 },
            Coefficient::Constant(value) => Self { values: std::slice::from_ref(value), stride: 0 },
            // Rejected before.
            Coefficient::Computed(_) => Self { values: &[], stride: 0 },
        }
    }

    #[inline(always)]
    pub fn get(self, at: usize) -> T {
        self.values[at * self.stride]
    }
}

/// The rows of a batch in the order of its recurrences.
#[derive(Clone, Copy)]
pub(crate) struct Order<'a> {
    pub shape: &'a Shape,
    pub direction: Direction,
}

impl Order<'_> {
    /// The row of a step.
    pub fn row(self, step: usize) -> usize {
        if self.direction == Direction::Forward { step } else { self.shape.n - 1 - step }
    }

    /// The places of a sequence's steps.
    pub fn of(self, system: usize) -> Places {
        let stride = self.shape.layout.element_stride as isize;
        let stride = if self.direction == Direction::Forward { stride } else { -stride };
        Places { first: self.shape.matrix_index(system, self.row(0)), stride }
    }
}

/// The places of a sequence's steps in the vectors.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    first: usize,
    stride: isize,
}

impl Places {
    #[inline(always)]
    pub fn at(self, step: usize) -> usize {
        self.first.wrapping_add_signed(step as isize * self.stride)
    }
}

/// [`Error::Shape`], [`Error::Length`], [`Error::NonFiniteInput`], and [`Error::Options`] for formulas, which only devices compute.
pub(super) fn check<T: Real>(
    shape: &Shape,
    parts: &[(&'static str, Coefficient<'_, T>)],
    direction: Direction,
) -> Result<()> {
    shape.validate_sequences()?;
    if let Some((name, _)) = parts.iter().find(|(_, part)| matches!(part, Coefficient::Computed(_))) {
        return Err(Error::Options(format!(
            "{name} is given by a formula, which only a device evaluates; pass a vector or a number"
        )));
    }
    check_lengths(shape, parts)?;
    check_finite(shape, parts, direction)?;
    // Constants alone may ask for any number of rows. The judge holds two double-double numbers per row of a sequence.
    let n = shape.n;
    let of_sequence = Vec::<[f64; 4]>::new().try_reserve_exact(n);
    let of_all = Vec::<T>::new().try_reserve_exact(shape.matrix_len().unwrap_or(usize::MAX));
    of_sequence.and(of_all).map_err(|_| Error::Shape(format!("{n} rows: no memory for the values and their error estimate; solve fewer rows, each part from the last value of the part before")))
}

/// Batches of fewer rows are solved on one core: others would wake too late to help.
const ROWS_OF_ONE_CORE: usize = 1 << 14;
/// Of so many long sequences on, each takes a lane; of fewer, each is cut into slices, which takes two passes, but all lanes and cores.
const MANY: usize = 16 * LANES;
/// The least rows of a long sequence.
const LONG: usize = 1 << 14;

/// Values of a batch, laid out by its shape, and what else its sequences have; with the largest forward error.
pub(crate) type Solved<T, E> = (Vec<T>, Vec<E>, f64);

/// Solves a batch, by `solve` of one sequence, or by `together` of up to [`LANES`]. Both return the values and what else a sequence has.
///
/// # Errors
/// Of several errors, the first sequence's.
pub(crate) fn solve_sequences<T: Real, E: Default + Send, S>(
    order: Order<'_>,
    sequence: impl Fn(usize) -> S + Sync,
    solve: impl Fn(&S) -> Result<Answer<(Vec<T>, E)>>,
    together: impl Fn(&[S]) -> Vec<Result<Answer<(Vec<T>, E)>>> + Sync,
) -> Result<Solved<T, E>> {
    let Order { shape, direction } = order;
    let &Shape { n, batch, .. } = shape;
    let len = shape.matrix_len().unwrap_or(usize::MAX);
    if batch == 1 && len == n {
        let Answer { better, forward_error } = solve(&sequence(0))?;
        // Without a device answer, the judge always returns its own.
        let (mut w, more) = better.unwrap_or_default();
        if direction == Direction::Reverse {
            w.reverse();
        }
        return Ok((w, vec![more], forward_error));
    }
    let mut w = vec![T::ZERO; len];
    // SAFETY: sequences have rows of their own, and no two rows of a valid shape share a place.
    let target = unsafe { Scattered::new(&mut w) };
    let stride = shape.layout.element_stride;
    let put = |system: usize, answer: Result<Answer<(Vec<T>, E)>>| -> Result<(E, f64)> {
        let Answer { better, forward_error } = answer?;
        let ((values, more), first) = (better.unwrap_or_default(), shape.matrix_index(system, 0));
        match direction {
            Direction::Forward => target.write(first, stride, values.into_iter()),
            Direction::Reverse => target.write(first, stride, values.into_iter().rev()),
        }
        Ok((more, forward_error))
    };
    let answers: Vec<Result<(E, f64)>> = if n >= LONG && batch < MANY {
        (0..batch).map(|system| put(system, solve(&sequence(system)))).collect()
    } else {
        let group = |first: usize| {
            let sequences: Vec<_> = (first..batch.min(first + LANES)).map(&sequence).collect();
            let answers = together(&sequences).into_iter().zip(first..);
            answers.map(|(answer, system)| put(system, answer)).collect::<Vec<_>>()
        };
        match n.saturating_mul(batch) < ROWS_OF_ONE_CORE {
            true => (0..batch).step_by(LANES).flat_map(group).collect(),
            false => (0..batch.div_ceil(LANES)).into_par_iter().flat_map_iter(|at| group(at * LANES)).collect(),
        }
    };
    let (more, errors): (Vec<E>, Vec<f64>) = answers.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok((w, more, errors.into_iter().fold(0.0, f64::max)))
}

/// One sequence of n rows on the CPU, as [`solve_batch_on_cpu`].
///
/// # Errors
/// As [`solve_batch_on_cpu`].
pub fn solve_on_cpu<T: Real>(n: usize, recurrence: &Recurrence<'_, T>, direction: Direction) -> Result<CpuSolution<T>> {
    solve_batch_on_cpu(&Shape::single(n), recurrence, direction)
}

/// A batch of sequences on all cores of the CPU, in wider arithmetic than T and rounded at the end.
///
/// Vector lanes take sequences of a batch side by side, or slices of a long one. Per row on one core with AVX2 and FMA: 2 ns in f32 and 4 in f64, of one long
/// sequence 3 and 5. Sequences whose error this does not bound well, or whose values leave the range of T, are computed one value after the other in numbers of any
/// size, ten to twenty times as long.
///
/// # Errors
/// [`Error::Shape`] for no rows, or more than memory holds, [`Error::Length`], [`Error::NonFiniteInput`], [`Error::Options`] for a coefficient by formula,
/// [`Error::NoDigits`], [`Error::Underflow`].
pub fn solve_batch_on_cpu<T: Real>(
    shape: &Shape,
    recurrence: &Recurrence<'_, T>,
    direction: Direction,
) -> Result<CpuSolution<T>> {
    let parts = recurrence.parts();
    check(shape, &parts, direction)?;
    let order = Order { shape, direction };
    let [s, t, initial] = [&parts[0].1, &parts[1].1, &parts[2].1].map(Part::new);
    let sequence = |system: usize| {
        let places = order.of(system);
        let coefficients = move |step: usize| [s.get(places.at(step)), t.get(places.at(step))];
        Sequence { system, n: shape.n, initial: initial.get(system), coefficients }
    };
    let alone = |sequence: &Sequence<T, _>| sequence.solve().map(Answer::alone);
    let together = |sequences: &[Sequence<T, _>]| {
        Sequence::solve_together(sequences).into_iter().map(|answer| answer.map(Answer::alone)).collect()
    };
    let (w, _, forward_error) = solve_sequences(order, sequence, alone, together)?;
    Ok(CpuSolution { w, forward_error })
}
