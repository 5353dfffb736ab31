//! Cyclic reduction and its parallel form, in the classic formulas.

use super::row::{Equation, equations};
use super::{check_finite, check_lengths, finite};
use crate::error::Result;
use crate::real::Scalar;

/// Cyclic reduction: floor(log2 n) steps down, as many back, and one division between.
///
/// For n = 2^m that is 17 (n - 1) - 8m + 1 operations: 12 for each of the n - 1 reductions, 5
/// for each of the n - 1 substitutions, less what the ends of the system spare (negation not
/// counted). Formulas (4) to (7) of the course project; Hockney 1965.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn cyclic_reduction<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    finite(reduce_and_substitute(equations(lower, diag, upper, rhs)))
}

/// Cyclic reduction of a system whose ends couple to nothing.
pub(super) fn reduce_and_substitute<S: Scalar>(mut rows: Vec<Equation<S>>) -> Vec<S> {
    let n = rows.len();
    let mut u = 1;
    while 2 * u <= n {
        for i in (2 * u - 1..n).step_by(2 * u) {
            rows[i] = rows[i].reduced(Some(rows[i - u]), rows.get(i + u).copied());
        }
        u *= 2;
    }
    let mut x = vec![S::ZERO; n];
    // One row is left: its neighbours lie outside.
    x[u - 1] = rows[u - 1].solved(None, None);
    while u > 1 {
        u /= 2;
        for i in (u - 1..n).step_by(2 * u) {
            x[i] = rows[i].solved(i.checked_sub(u).map(|j| x[j]), x.get(i + u).copied());
        }
    }
    x
}

/// Parallel cyclic reduction: ceil(log2 n) steps of n reductions each, and one division per row.
///
/// For n = 2^m that is 12 n m - 12 (n - 1) + n operations: 12 a reduction, less 6 for each
/// neighbour past an end. Hockney and Jesshope 1981.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn parallel_cyclic_reduction<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    let n = diag.len();
    let mut rows = equations(lower, diag, upper, rhs);
    let mut u = 1;
    while u < n {
        rows = (0..n).map(|i| rows[i].reduced(i.checked_sub(u).map(|j| rows[j]), rows.get(i + u).copied())).collect();
        u *= 2;
    }
    finite(rows.into_iter().map(|row| row.solved(None, None)).collect())
}
