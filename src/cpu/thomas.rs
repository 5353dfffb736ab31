//! Thomas's algorithm: Gaussian elimination without row exchanges.

use super::{breakdown, check_finite, check_lengths, finite};
use crate::error::Result;
use crate::real::Scalar;

/// Solves one system of n rows in 2n - 1 steps and 8n - 7 operations (2n - 1 of them divisions).
///
/// Formulas (2) and (3) of the course project, also in Press et al., Numerical Recipes, 2.4.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length), [`Error::Shape`](crate::Error::Shape) for n = 0,
/// [`Error::NonFiniteInput`](crate::Error::NonFiniteInput),
/// [`Error::Breakdown`](crate::Error::Breakdown) at a zero pivot or
/// an overflow.
pub fn thomas<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    let n = diag.len();
    let mut scaled_upper = Vec::with_capacity(n);
    let mut x: Vec<S> = Vec::with_capacity(n);
    for row in 0..n {
        let (pivot, right) = match row {
            0 => (diag[0], rhs[0]),
            _ => (diag[row] - lower[row] * scaled_upper[row - 1], rhs[row] - lower[row] * x[row - 1]),
        };
        scaled_upper.push(if row + 1 < n { upper[row] / pivot } else { S::ZERO });
        x.push(right / pivot);
        // An infinite pivot would divide to zero and pass unseen.
        if !x[row].is_finite() || !pivot.is_finite() || pivot == S::ZERO {
            return Err(breakdown(row));
        }
    }
    for row in (0..n - 1).rev() {
        x[row] = x[row] - scaled_upper[row] * x[row + 1];
    }
    finite(x)
}
