//! Solves on the CPU.

use super::host::{check, check_finite, judged};
use super::options::Options;
use super::shape::Shape;
use crate::error::{Error, Result};
use crate::judge;
use crate::real::Real;

/// A solution from the CPU with its accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CpuSolution<T> {
    /// The unknowns, laid out as `rhs`; padding is NaN.
    pub x: Vec<T>,
    /// As [`Solution::forward_error`](super::Solution::forward_error).
    pub forward_error: f64,
}

/// Solves by substitution on the CPU, in wider arithmetic than T, and rounds at the end. The substitution also bounds the error; if the matrix
/// amplifies rounding errors, up to eleven more estimate it. All cores share the entries of a matrix of at least 512 rows, and the right-hand
/// sides of a batch.
///
/// Each substitution reads n (n + 1) / 2 entries, in vector lanes: about 0.5 ns per entry in f32 and 1 ns in f64 on one core with AVX2 and FMA,
/// or as long as the memory takes to deliver the matrix. Answers have the same bits on any number of cores.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::Length`](crate::Error::Length), [`Error::ZeroDiagonal`](crate::Error::ZeroDiagonal),
/// [`Error::NonFiniteInput`](crate::Error::NonFiniteInput), [`Error::NoDigits`](crate::Error::NoDigits),
/// [`Error::Overflow`](crate::Error::Overflow), [`Error::Underflow`](crate::Error::Underflow).
pub fn solve_on_cpu<T: Real>(shape: &Shape, options: &Options, matrix: &[T], rhs: &[T]) -> Result<CpuSolution<T>> {
    shape.validate(options)?;
    check(options, shape, matrix, rhs)?;
    let mut x = vec![T::from_f64(f64::NAN); rhs.len()];
    let (forward_error, _) = match shape.n {
        0 => (0.0, 0),
        // An entry that is not finite leaves no finite answer, and no judgement.
        _ => judged(options, shape, (matrix, rhs), &mut x, false).or_else(|error| {
            (0..shape.batch).try_for_each(|system| check_finite(options, shape, matrix, rhs, system))?;
            Err(error)
        })?,
    };
    Ok(CpuSolution { x, forward_error })
}

/// Skeel's condition number cond(T, x) = || |T^-1| |T| |x| || / ||x|| in the maximum norm, estimated, of one matrix and n unknowns x: the
/// factor by which relative errors of the entries may grow in x. About seven substitutions in f64 on the CPU.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for more than one right-hand side; [`Error::Length`](crate::Error::Length),
/// [`Error::ZeroDiagonal`](crate::Error::ZeroDiagonal), [`Error::NonFiniteInput`](crate::Error::NonFiniteInput).
pub fn condition<T: Real>(shape: &Shape, options: &Options, matrix: &[T], x: &[T]) -> Result<f64> {
    shape.validate(options)?;
    if shape.columns != 1 || shape.batch != 1 {
        return Err(Error::Shape("a condition is of one matrix and one vector of unknowns".into()));
    }
    check(options, shape, matrix, x)?;
    if shape.n == 0 {
        return Ok(0.0);
    }
    check_finite(options, shape, matrix, x, 0)?;
    Ok(judge::triangular::condition(&shape.triangle(options, matrix, 0), x))
}
