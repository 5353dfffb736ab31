//! Gaussian elimination with partial pivoting, as LAPACK's gtsv does it.

use super::{breakdown, check_finite, check_lengths, finite, singular};
use crate::error::Result;
use crate::real::Scalar;

/// Solves one system of n rows, nonsingular but otherwise arbitrary. All four slices have n
/// entries; `lower[0]` and `upper[n-1]` are not read.
///
/// Each step takes the larger of two candidates as pivot, so that a second superdiagonal fills
/// in (Anderson et al., LAPACK Users' Guide, xGTSV).
///
/// # Errors
/// [`Error::Length`](crate::Error::Length), [`Error::Shape`](crate::Error::Shape) for n = 0,
/// [`Error::NonFiniteInput`](crate::Error::NonFiniteInput),
/// [`Error::Singular`](crate::Error::Singular) where neither candidate is a pivot,
/// [`Error::Breakdown`](crate::Error::Breakdown) where one overflows.
pub fn gtsv<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    let n = diag.len();
    let mut first = diag.to_vec();
    let mut second = upper.to_vec();
    let mut third = vec![S::ZERO; n];
    let mut x = rhs.to_vec();
    second[n - 1] = S::ZERO;
    for row in 0..n - 1 {
        let mut below = lower[row + 1];
        if first[row].abs() < below.abs() {
            // Exchange the rows; the lower one is as yet untouched.
            let next_upper = if row + 2 < n { upper[row + 1] } else { S::ZERO };
            std::mem::swap(&mut first[row], &mut below);
            std::mem::swap(&mut first[row + 1], &mut second[row]);
            third[row] = next_upper;
            second[row + 1] = S::ZERO;
            x.swap(row, row + 1);
        }
        if first[row] == S::ZERO {
            return Err(singular(row));
        }
        // An infinite pivot would divide to zero and pass unseen.
        if !first[row].is_finite() {
            return Err(breakdown(row));
        }
        let factor = below / first[row];
        first[row + 1] = first[row + 1] - factor * second[row];
        second[row + 1] = second[row + 1] - factor * third[row];
        x[row + 1] = x[row + 1] - factor * x[row];
    }
    if first[n - 1] == S::ZERO {
        return Err(singular(n - 1));
    }
    if !first[n - 1].is_finite() {
        return Err(breakdown(n - 1));
    }
    for row in (0..n).rev() {
        let mut sum = x[row];
        if row + 1 < n {
            sum = sum - second[row] * x[row + 1];
        }
        if row + 2 < n {
            sum = sum - third[row] * x[row + 2];
        }
        x[row] = sum / first[row];
    }
    finite(x)
}
