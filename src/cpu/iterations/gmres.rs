//! GMRES with restarts, in modified Gram-Schmidt form. It starts from x = 0.

use super::{Rooted, Watch, Workers, dot, multiply, of_row};
use crate::csr::Csr;
use crate::outcome::Outcome;

pub(super) fn gmres<S: Rooted>(
    matrix: &Csr<S>,
    restart: usize,
    workers: &Workers,
    rhs: &[S],
    watch: &mut Watch,
) -> (Vec<S>, Outcome) {
    let mut x = vec![S::ZERO; rhs.len()];
    let mut basis = vec![vec![S::ZERO; rhs.len()]; restart + 1];
    let mut is_first = true;
    loop {
        let square = workers.update(&mut basis[0], |row, r| {
            *r = rhs[row] - of_row(matrix, row, &x);
            *r * *r
        });
        let mut norm = square.root();
        // After a restart this is the residual of the last column, up to rounding.
        if !is_first {
            watch.history.pop();
        }
        is_first = false;
        let mut outcome = watch.note(square);
        if let Some(outcome) = outcome {
            return (x, outcome);
        }
        // The columns of R, the rotations, and the right-hand side of the least squares.
        let (mut columns, mut rotations, mut right) = (vec![], vec![], vec![norm]);
        while columns.len() < restart && outcome.is_none() {
            let j = columns.len();
            let inverse = S::ONE / norm;
            workers.update(&mut basis[j], |_, v| {
                *v = *v * inverse;
                S::ZERO
            });
            let (known, rest) = basis.split_at_mut(j + 1);
            let w = &mut rest[0];
            multiply(matrix, workers, &known[j], w, |_, _| S::ZERO);
            let mut column = Vec::with_capacity(j + 2);
            for v in known.iter() {
                let h = dot(workers, w, v);
                workers.update(w, |row, w| {
                    *w = *w - h * v[row];
                    S::ZERO
                });
                column.push(h);
            }
            norm = dot(workers, w, w).root();
            for (at, &(c, s)) in rotations.iter().enumerate() {
                let (upper, lower) = (column[at], column[at + 1]);
                column[at] = c * upper + s * lower;
                column[at + 1] = c * lower - s * upper;
            }
            let length = (column[j] * column[j] + norm * norm).root();
            let (c, s) = (column[j] / length, norm / length);
            column[j] = length;
            rotations.push((c, s));
            columns.push(column);
            let last = right[j];
            right[j] = c * last;
            right.push(-(s * last));
            outcome = watch.note_norm(right[j + 1].nearest().abs());
        }
        let mut factors = right;
        for j in (0..columns.len()).rev() {
            let known = (j + 1..columns.len()).fold(factors[j], |sum, k| sum - columns[k][j] * factors[k]);
            factors[j] = known / columns[j][j];
        }
        for (v, &factor) in basis.iter().zip(&factors[..columns.len()]) {
            workers.update(&mut x, |row, x| {
                *x = *x + factor * v[row];
                S::ZERO
            });
        }
        if let Some(outcome) = outcome {
            return (x, outcome);
        }
    }
}
