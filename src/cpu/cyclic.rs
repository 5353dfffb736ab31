//! Cyclic reduction, its parallel form, and the first followed by the second, in the classic formulas.

use super::row::{Equation, equations};
use super::{check_finite, check_lengths, finite};
use crate::error::{Error, Result};
use crate::real::Scalar;

/// Cyclic reduction: floor(log2 n) steps down, as many back, and a step of one division between.
///
/// For n = 2^m that is 17 (n - 1) - 8m + 1 operations: 12 for each of the n - 1 reductions, 5
/// for each of the n - 1 substitutions, less what the ends of the system spare (negation not
/// counted). For any n, 17 n - 8 (floor(log2 n) + p + 1) operations with p ones in the binary digits of n. Formulas (4) to (7) of the
/// course project; Hockney 1965.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn cyclic_reduction<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    cr_pcr(lower, diag, upper, rhs, 1)
}

/// Parallel cyclic reduction: ceil(log2 n) steps of n reductions each, and a step of one division per row.
///
/// With m = ceil(log2 n) that is 12 n m - 12 (2^m - 1) + n operations: 12 per reduction, less 6 for each
/// neighbour past an end. Hockney and Jesshope 1981.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn parallel_cyclic_reduction<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    cr_pcr(lower, diag, upper, rhs, diag.len().max(1))
}

/// Cyclic reduction until at most `parallel` rows are left, at least 1; parallel cyclic reduction of these rows; then the substitution of
/// cyclic reduction.
///
/// With q = floor(n / 2^k) rows left after k steps: 2k + ceil(log2 q) + 1 steps. 17 (n - q) - 8 (k + p) operations, where p counts the ones
/// in the last k binary digits of n, and those of [`parallel_cyclic_reduction`] for q rows. Zhang, Cohen and Owens 2010.
///
/// # Errors
/// As [`thomas`](super::thomas); [`Error::Options`] for `parallel` = 0.
pub fn cr_pcr<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S], parallel: usize) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    if parallel == 0 {
        return Err(Error::Options("0 rows left to parallel cyclic reduction: should be 1 at least".into()));
    }
    finite(reduce_and_substitute(equations(lower, diag, upper, rhs), parallel))
}

/// Cyclic reduction of a system whose ends couple to nothing, until `parallel` rows are left.
pub(super) fn reduce_and_substitute<S: Scalar>(mut rows: Vec<Equation<S>>, parallel: usize) -> Vec<S> {
    let n = rows.len();
    let mut u = 1;
    while n / u > parallel {
        for i in (2 * u - 1..n).step_by(2 * u) {
            rows[i] = rows[i].reduced(Some(rows[i - u]), rows.get(i + u).copied());
        }
        u *= 2;
    }
    let mut x = vec![S::ZERO; n];
    let left = rows.iter().skip(u - 1).step_by(u).copied().collect();
    for (i, value) in in_parallel(left).into_iter().enumerate() {
        x[(i + 1) * u - 1] = value;
    }
    while u > 1 {
        u /= 2;
        for i in (u - 1..n).step_by(2 * u) {
            x[i] = rows[i].solved(i.checked_sub(u).map(|j| x[j]), x.get(i + u).copied());
        }
    }
    x
}

/// Parallel cyclic reduction.
fn in_parallel<S: Scalar>(mut rows: Vec<Equation<S>>) -> Vec<S> {
    let n = rows.len();
    let mut u = 1;
    while u < n {
        rows = (0..n).map(|i| rows[i].reduced(i.checked_sub(u).map(|j| rows[j]), rows.get(i + u).copied())).collect();
        u *= 2;
    }
    rows.into_iter().map(|row| row.solved(None, None)).collect()
}
