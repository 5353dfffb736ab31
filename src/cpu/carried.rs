//! Thomas's algorithm with the dominance carried: no cancellation for dominant systems.

use super::{breakdown, check_finite, check_lengths, finite};
use crate::error::{Error, Result};
use crate::real::Scalar;

/// The excess |diag| - |lower| - |upper| of each row (corners counted as zero), with the
/// rounding error of the first difference recovered.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length), [`Error::Shape`](crate::Error::Shape) for n = 0.
pub fn excess<S: Scalar>(lower: &[S], diag: &[S], upper: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, diag)?;
    let n = diag.len();
    Ok((0..n)
        .map(|row| {
            let a = if row > 0 { lower[row].abs() } else { S::ZERO };
            let c = if row + 1 < n { upper[row].abs() } else { S::ZERO };
            excess_of(a, diag[row], c)
        })
        .collect())
}

/// |b| - |a| - |c| of a row, the rounding error of the first difference recovered.
fn excess_of<S: Scalar>(a: S, b: S, c: S) -> S {
    let (a, b, c) = (a.abs(), b.abs(), c.abs());
    let (hi, lo) = if a > c { (a, c) } else { (c, a) };
    let s = b - hi;
    (s - lo) + ((b - s) - hi)
}

/// Whether no row's off-diagonals outweigh its diagonal, nor is it all zeros: then the algorithms that carry the
/// dominance keep x's digits, whatever the condition.
pub(crate) fn is_dominant(lower: &[f64], diag: &[f64], upper: &[f64]) -> bool {
    let rows = lower.iter().zip(diag).zip(upper);
    rows.into_iter().all(|((lower, diag), upper)| *diag != 0.0 && excess_of(*lower, *diag, *upper) >= 0.0)
}

/// As [`thomas`](super::thomas), each pivot formed from the carried dominance.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn thomas_carried<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    eliminate(lower, diag, &excess(lower, diag, upper)?, upper, rhs)
}

/// As [`thomas_carried`], for a matrix given by its off-diagonals and excess: the diagonal is
/// |lower| + |upper| + excess, and never formed where that would round.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn thomas_excess<S: Scalar>(lower: &[S], excess: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, excess, upper, rhs)?;
    check_finite(lower, excess, upper, rhs)?;
    let n = excess.len();
    let diag: Vec<S> = (0..n)
        .map(|row| {
            let a = if row > 0 { lower[row].abs() } else { S::ZERO };
            let c = if row + 1 < n { upper[row].abs() } else { S::ZERO };
            a + c + excess[row]
        })
        .collect();
    if let Some(row) = diag.iter().position(|sum| !sum.is_finite()) {
        return Err(Error::NonFiniteInput { vector: "|lower| + |upper| + excess", system: 0, row });
    }
    eliminate(lower, &diag, excess, upper, rhs)
}

/// x[i] = q[i] x[i+1] + r[i] with the complement 1 - |q[i]|, row by row, and back: the same
/// formulas as `eliminate` in shaders/shared/block.wgsl without its x_prev.
fn eliminate<S: Scalar>(lower: &[S], diag: &[S], excess: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    let n = diag.len();
    let mut q = Vec::with_capacity(n);
    let mut x = Vec::with_capacity(n);
    let (mut above, mut right, mut complement) = (S::ZERO, S::ZERO, S::ONE);
    for row in 0..n {
        let a = if row > 0 { lower[row] } else { S::ZERO };
        let c = if row + 1 < n { upper[row] } else { S::ZERO };
        let t = a * above;
        let turn = (t < S::ZERO && diag[row] > S::ZERO) || (t > S::ZERO && diag[row] < S::ZERO);
        let size = excess[row] + c.abs() + a.abs() * complement;
        let pivot = match turn {
            true if diag[row] < S::ZERO => -size,
            true => size,
            false => diag[row] + t,
        };
        let gain = if turn { complement } else { above.abs() + above.abs() + complement };
        right = (rhs[row] - a * right) / pivot;
        above = -c / pivot;
        complement = (excess[row] + a.abs() * gain) / pivot.abs();
        if turn && size < S::ZERO {
            complement = S::ONE - above.abs();
        }
        if !right.is_finite() || !pivot.is_finite() || pivot == S::ZERO {
            return Err(breakdown(row));
        }
        q.push(above);
        x.push(right);
    }
    for row in (0..n - 1).rev() {
        x[row] = x[row] + q[row] * x[row + 1];
    }
    finite(x)
}
