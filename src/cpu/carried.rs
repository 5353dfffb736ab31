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
#[inline(always)] // For loops over vector lanes.
pub(crate) fn excess_of<S: Scalar>(a: S, b: S, c: S) -> S {
    let (a, b, c) = (a.abs(), b.abs(), c.abs());
    let (hi, lo) = if a > c { (a, c) } else { (c, a) };
    let s = b - hi;
    (s - lo) + ((b - s) - hi)
}

/// Whether every row is weakly dominant and none is all zeros. The algorithms that carry the dominance then keep the digits of x, whatever
/// the condition.
pub(crate) fn is_dominant(lower: &[f64], diag: &[f64], upper: &[f64]) -> bool {
    let rows = lower.iter().zip(diag).zip(upper);
    rows.into_iter().all(|((lower, diag), upper)| *diag != 0.0 && excess_of(*lower, *diag, *upper) >= 0.0)
}

/// Solves as [`thomas`](super::thomas), but forms each pivot from the carried dominance.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn thomas_carried<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    eliminate(lower, diag, &excess(lower, diag, upper)?, upper, rhs)
}

/// Solves as [`thomas_carried`] a matrix that is given by its off-diagonals and excess. The diagonal is |lower| + |upper| + excess; no step
/// forms it where the sum would round.
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

/// Solves M x = rhs, where M is the comparison matrix of a ring of n >= 3 rows given by its off-diagonals and excess: |lower| + |upper| +
/// excess on the diagonal, -|off-diagonals| beside it. The excess and the right-hand side are nonnegative; no step subtracts, so each
/// unknown has a small relative error whatever the condition.
///
/// Row 0 and its unknown border the other rows, T: with q = T^-1 (|lower[1]|, 0, ..., 0, |upper[n-1]|), the complement 1 - q is
/// T^-1 excess.
///
/// # Errors
/// [`Error::Breakdown`] of a singular M, and those of [`thomas_excess`].
pub(crate) fn comparison_ring(lower: &[f64], excess: &[f64], upper: &[f64], rhs: &[f64]) -> Result<Vec<f64>> {
    check_lengths(lower, excess, upper, rhs)?;
    let n = excess.len();
    let coupling = |entries: &[f64]| entries[1..].iter().map(|entry| -entry.abs()).collect::<Vec<_>>();
    let (below, above) = (coupling(lower), coupling(upper));
    let mut ends = vec![0.0; n - 1];
    ends[0] += lower[1].abs();
    ends[n - 2] += upper[n - 1].abs();
    let own: Vec<_> = excess[1..].iter().zip(&ends).map(|(excess, end)| excess + end).collect();
    let inner = |right: &[f64]| thomas_excess(&below, &own, &above, right);
    let (plain, by_border, complement) = (inner(&rhs[1..])?, inner(&ends)?, inner(&excess[1..])?);
    let (first, last) = (upper[0].abs(), lower[0].abs());
    let pivot = excess[0] + last * complement[n - 2] + first * complement[0];
    let x = (rhs[0] + last * plain[n - 2] + first * plain[0]) / pivot;
    if pivot == 0.0 || !x.is_finite() {
        return Err(breakdown(0));
    }
    finite([x].into_iter().chain(plain.iter().zip(&by_border).map(|(plain, q)| plain + q * x)).collect())
}

/// The least complement, and the least numerator of one, that elimination of a dominant open system from above or from below carries. An
/// exact zero does not count; 0 where one underflows.
///
/// A complement that underflows may have to grow again: where the off-diagonals pull to one side over many rows and then back, the
/// pivots that follow are formed from it.
pub(crate) fn least_complement(lower: &[f64], excess: &[f64], upper: &[f64]) -> f64 {
    let n = excess.len();
    let next = |complement: &mut f64, least: &mut f64, [back, own, ahead]: [f64; 3]| {
        let size = own + back * *complement;
        let is_zero = own == 0.0 && (back == 0.0 || *complement == 0.0);
        *complement = if is_zero { 0.0 } else { size / (size + ahead) };
        if !is_zero {
            // NaN counts as 0.
            *least = if size.min(*complement) > 0.0 { least.min(size).min(*complement) } else { 0.0 };
        }
    };
    let (mut from_above, mut from_below, mut least) = (1.0, 1.0, f64::INFINITY);
    for i in 0..n {
        let j = n - 1 - i;
        let back = |is_first: bool, entry: f64| if is_first { 0.0 } else { entry.abs() };
        next(&mut from_above, &mut least, [back(i == 0, lower[i]), excess[i], back(j == 0, upper[i])]);
        next(&mut from_below, &mut least, [back(i == 0, upper[j]), excess[j], back(j == 0, lower[j])]);
    }
    least
}

/// Eliminates row by row to x[i] = q[i] x[i+1] + r[i] with the complement 1 - |q[i]|, then substitutes back: the formulas of `eliminate`
/// in shaders/shared/block.wgsl without x_prev.
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
