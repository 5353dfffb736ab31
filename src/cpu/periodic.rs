//! Periodic (cyclic) tridiagonal systems: the corners couple the first row to the last unknown, and the last row to the
//! first.

use super::{breakdown, check_all_finite, check_lengths, finite, gtsv, singular};
use crate::error::Result;
use crate::real::Scalar;

/// Entries of a pivot's row from the diagonal on: two neighbours on either side, and as many again by exchanges.
const WIDTH: usize = 5;

/// The row at a place of the order 0, n-1, 1, n-2, ..., in which neighbours on the ring are no more than two apart.
fn row_at(place: usize, n: usize) -> usize {
    if place.is_multiple_of(2) { place / 2 } else { n - 1 - place / 2 }
}

fn place_of(row: usize, n: usize) -> usize {
    if row < n.div_ceil(2) { 2 * row } else { 2 * (n - 1 - row) + 1 }
}

/// Solves one periodic system of n rows, nonsingular but otherwise arbitrary: `lower[0]` stands in the last column of the first row,
/// `upper[n-1]` in the first column of the last row. All four slices have n entries. In a single row all three entries are added; in two
/// rows, entries with the same place are added.
///
/// Gaussian elimination with partial pivoting, in an order of the rows that gives the matrix two diagonals on either side: as stable as
/// [`gtsv`](fn@super::gtsv); a correction of rank one is not.
///
/// # Errors
/// As [`gtsv`](fn@super::gtsv).
pub fn periodic_gtsv<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_all_finite(lower, diag, upper, rhs)?;
    let n = diag.len();
    // The row at a place, from a column on.
    let entering = |place: usize, from: usize| {
        let row = row_at(place, n);
        let mut entries = [S::ZERO; WIDTH];
        for (entry, column) in [(lower[row], (row + n - 1) % n), (diag[row], row), (upper[row], (row + 1) % n)] {
            let at = place_of(column, n) - from;
            entries[at] = entries[at] + entry;
        }
        (entries, rhs[row])
    };
    let mut active: Vec<([S; WIDTH], S)> = (0..n.min(2)).map(|place| entering(place, 0)).collect();
    let mut pivots = Vec::with_capacity(n);
    for step in 0..n {
        if step + 2 < n {
            active.push(entering(step + 2, step));
        }
        let larger = |best: usize, at: usize| if active[at].0[0].abs() > active[best].0[0].abs() { at } else { best };
        let best = (1..active.len()).fold(0, larger);
        let (pivot, right) = active.remove(best);
        if pivot[0] == S::ZERO {
            return Err(singular(row_at(step, n)));
        }
        if !pivot[0].is_finite() {
            return Err(breakdown(row_at(step, n)));
        }
        for (entries, value) in &mut active {
            let factor = entries[0] / pivot[0];
            for k in 1..WIDTH {
                entries[k - 1] = entries[k] - factor * pivot[k];
            }
            entries[WIDTH - 1] = S::ZERO;
            *value = *value - factor * right;
        }
        pivots.push((pivot, right));
    }
    let mut solved = vec![S::ZERO; n + WIDTH];
    for (step, (pivot, right)) in pivots.iter().enumerate().rev() {
        let known = (1..WIDTH).fold(*right, |sum, k| sum - pivot[k] * solved[step + k]);
        solved[step] = known / pivot[0];
    }
    finite((0..n).map(|row| solved[place_of(row, n)]).collect())
}

fn is_open<S: Scalar>(lower: &[S], upper: &[S]) -> bool {
    lower.first().is_none_or(|corner| *corner == S::ZERO) && upper.last().is_none_or(|corner| *corner == S::ZERO)
}

/// One system, periodic if its corners are not 0.
pub fn ring_gtsv<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    match is_open(lower, upper) {
        true => gtsv::gtsv(lower, diag, upper, rhs),
        false => periodic_gtsv(lower, diag, upper, rhs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dense elimination is another way to the same.
    fn dense(lower: &[f64], diag: &[f64], upper: &[f64], x: &[f64]) -> Vec<f64> {
        let n = diag.len();
        (0..n).map(|i| lower[i] * x[(i + n - 1) % n] + diag[i] * x[i] + upper[i] * x[(i + 1) % n]).collect()
    }

    #[test]
    fn of_every_small_size() {
        for n in 1..20usize {
            let entry = |i: usize, k: usize| ((i * 7 + k * 13 + i * i * k) % 11) as f64 - 4.5;
            let vector = |k: usize| (0..n).map(|i| entry(i, k)).collect::<Vec<_>>();
            let (lower, diag, upper, x) = (vector(1), vector(2), vector(3), vector(4));
            let found = periodic_gtsv(&lower, &diag, &upper, &dense(&lower, &diag, &upper, &x)).unwrap();
            for (found, x) in found.iter().zip(&x) {
                assert!((found - x).abs() < 1e-10, "n = {n}: {found}, not {x}");
            }
        }
    }

    #[test]
    fn a_ring_that_is_singular() {
        let ones = [1.0; 3];
        assert!(periodic_gtsv(&ones, &ones, &ones, &ones).is_err());
    }
}
