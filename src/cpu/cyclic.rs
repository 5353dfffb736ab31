//! Cyclic reduction and its parallel form, in the classic formulas.

use super::{breakdown, check_finite, check_lengths};
use crate::error::Result;
use crate::real::Scalar;

/// A row whose neighbours may be any distance away.
#[derive(Clone, Copy)]
struct Row<S> {
    a: S,
    b: S,
    c: S,
    d: S,
}

fn rows<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Vec<Row<S>> {
    let n = diag.len();
    (0..n)
        .map(|i| Row {
            a: if i > 0 { lower[i] } else { S::ZERO },
            b: diag[i],
            c: if i + 1 < n { upper[i] } else { S::ZERO },
            d: rhs[i],
        })
        .collect()
}

/// The row with its neighbours eliminated: 12 operations, 6 less for each that is missing.
fn reduce<S: Scalar>(lo: Option<Row<S>>, mid: Row<S>, hi: Option<Row<S>>) -> Row<S> {
    let mut row = Row { a: S::ZERO, c: S::ZERO, ..mid };
    if let Some(lo) = lo {
        let k = mid.a / lo.b;
        row.a = -(lo.a * k);
        row.b = row.b - lo.c * k;
        row.d = row.d - lo.d * k;
    }
    if let Some(hi) = hi {
        let k = mid.c / hi.b;
        row.c = -(hi.c * k);
        row.b = row.b - hi.a * k;
        row.d = row.d - hi.d * k;
    }
    row
}

fn finite<S: Scalar>(x: Vec<S>) -> Result<Vec<S>> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(row) => Err(breakdown(row)),
        None => Ok(x),
    }
}

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
    let n = diag.len();
    let mut rows = rows(lower, diag, upper, rhs);
    let mut u = 1;
    while 2 * u <= n {
        for i in (2 * u - 1..n).step_by(2 * u) {
            rows[i] = reduce(Some(rows[i - u]), rows[i], rows.get(i + u).copied());
        }
        u *= 2;
    }
    let mut x = vec![S::ZERO; n];
    // One row is left: its neighbours lie outside.
    x[u - 1] = rows[u - 1].d / rows[u - 1].b;
    while u > 1 {
        u /= 2;
        for i in (u - 1..n).step_by(2 * u) {
            let mut right = rows[i].d;
            if i >= u {
                right = right - rows[i].a * x[i - u];
            }
            if i + u < n {
                right = right - rows[i].c * x[i + u];
            }
            x[i] = right / rows[i].b;
        }
    }
    finite(x)
}

/// Parallel cyclic reduction: ceil(log2 n) steps of n reductions each, and one division a row.
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
    let mut rows = rows(lower, diag, upper, rhs);
    let mut u = 1;
    while u < n {
        rows = (0..n).map(|i| reduce(i.checked_sub(u).map(|j| rows[j]), rows[i], rows.get(i + u).copied())).collect();
        u *= 2;
    }
    finite(rows.into_iter().map(|row| row.d / row.b).collect())
}
