//! Solves on the CPU.

use super::options::Direction;
use super::system::{Coefficient, Recurrence, check_finite, check_lengths};
use crate::error::{Error, Result};
use crate::judge::answer::Answer;
use crate::judge::recurrence::Sequence;
use crate::plan::Shape;
use crate::real::Real;

/// Values from the CPU with their accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CpuSolution<T> {
    /// The values; infinite past the range of T.
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

/// [`Error::Shape`], [`Error::Length`], [`Error::NonFiniteInput`], and [`Error::Options`] for formulas, which only devices compute.
pub(super) fn check<T: Real>(
    n: usize,
    parts: &[(&'static str, Coefficient<'_, T>)],
    direction: Direction,
) -> Result<()> {
    let shape = Shape::single(n);
    shape.validate()?;
    if let Some((name, _)) = parts.iter().find(|(_, part)| matches!(part, Coefficient::Computed(_))) {
        return Err(Error::Options(format!(
            "{name} is given by a formula, which only a device evaluates; pass a vector or a number"
        )));
    }
    check_lengths(&shape, parts)?;
    check_finite(&shape, parts, direction)?;
    // Constants alone may ask for any number of rows. The judge holds two double-double numbers per row.
    let room = Vec::<[f64; 4]>::new().try_reserve_exact(n);
    room.map_err(|_| Error::Shape(format!("{n} rows: no memory for the values and their error estimate; solve fewer rows, each part from the last value of the part before")))
}

/// One sequence of n rows on the CPU, in wider arithmetic than T and rounded at the end, on one core: about 7 ns per row in f32 and 10 to 20 in
/// f64 (AVX2 and FMA); ten times as long if values leave the range of T, or if the bound of their errors exceeds T's roundoff.
///
/// # Errors
/// [`Error::Shape`] for no rows, or more than memory holds, [`Error::Length`], [`Error::NonFiniteInput`], [`Error::Options`] for a coefficient by formula,
/// [`Error::NoDigits`], [`Error::Underflow`].
pub fn solve_on_cpu<T: Real>(n: usize, recurrence: &Recurrence<'_, T>, direction: Direction) -> Result<CpuSolution<T>> {
    check(n, &recurrence.parts(), direction)?;
    let row = |step: usize| if direction == Direction::Forward { step } else { n - 1 - step };
    let coefficients = |step: usize| [value(&recurrence.s, row(step)), value(&recurrence.t, row(step))];
    let sequence = Sequence { system: 0, n, initial: value(&recurrence.initial, 0), coefficients };
    let Answer { better, forward_error } = sequence.judge(None::<fn(usize) -> T>)?;
    // Without a device answer, the judge always returns its own.
    let mut w = better.unwrap_or_default();
    if direction == Direction::Reverse {
        w.reverse();
    }
    Ok(CpuSolution { w, forward_error })
}
