//! HISA, BHISA, Jacobi and Gauss-Seidel.
//!
//! A splitting A = M + N iterates M x' = b - N x. As M x = b - N x~ holds for the iterate before, x~, the residual of x is
//! b - A x = (b - N x) - (b - N x~): the right-hand sides of two iterations give it without a product.

use super::{Iterated, Rooted, Watch, Workers};
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::real::Scalar;

/// 1 / a[i, i].
pub(super) fn inverse_diagonal<S: Scalar>(matrix: &Csr<S>, method: &str) -> Result<Vec<S>> {
    let of = |row| {
        let found = matrix.row(row).find(|&(column, _)| column == row).map(|(_, value)| value);
        match found.filter(|&value| value != S::ZERO) {
            Some(value) => Ok(S::ONE / value),
            None => Err(Error::ZeroOnDiagonal { row, method: method.into() }),
        }
    };
    (0..matrix.rows()).map(of).collect()
}

/// The diagonal blocks of T in factors, and the other entries of A.
pub(super) struct Split<S> {
    /// lower / pivot.
    lower: Vec<S>,
    /// 1 / pivot.
    inverse: Vec<S>,
    /// upper / pivot.
    upper: Vec<S>,
    others: Csr<S>,
    block: usize,
}

impl<S: Rooted> Split<S> {
    /// Steps 1 of algorithms 2 and 3: the coefficients of T are eliminated once.
    pub(super) fn new(matrix: &Csr<S>, block: usize) -> Result<Self> {
        let n = matrix.rows();
        let [mut lower, mut inverse, mut upper] = [(); 3].map(|()| vec![S::ZERO; n]);
        let is_within = |row: usize, column: usize| row.abs_diff(column) <= 1 && row / block == column / block;
        for row in 0..n {
            let mut diagonal = S::ZERO;
            for (column, value) in matrix.row(row).filter(|&(column, _)| is_within(row, column)) {
                match column {
                    _ if column < row => lower[row] = value,
                    _ if column > row => upper[row] = value,
                    _ => diagonal = value,
                }
            }
            let pivot = match row % block {
                0 => diagonal,
                _ => diagonal - lower[row] * upper[row - 1],
            };
            inverse[row] = S::ONE / pivot;
            lower[row] = lower[row] * inverse[row];
            upper[row] = upper[row] * inverse[row];
            if pivot == S::ZERO || !pivot.is_finite() || !inverse[row].is_finite() {
                return Err(super::super::breakdown(row));
            }
        }
        Ok(Self { lower, inverse, upper, others: matrix.filtered(|row, column| !is_within(row, column)), block })
    }

    /// x = T^-1 right for the rows of whole blocks from `first` on.
    fn solve(&self, first: usize, right: &[S], x: &mut [S]) {
        let Self { lower, inverse, upper, block, .. } = self;
        for (at, (right, x)) in right.chunks(*block).zip(x.chunks_mut(*block)).enumerate() {
            let first = first + at * block;
            let mut before = right[0] * inverse[first];
            x[0] = before;
            for i in 1..right.len() {
                before = right[i] * inverse[first + i] - lower[first + i] * before;
                x[i] = before;
            }
            for i in (0..right.len() - 1).rev() {
                before = x[i] - upper[first + i] * before;
                x[i] = before;
            }
        }
    }

    /// T x' = b - S x.
    pub(super) fn iterate(&self, workers: &Workers, rhs: &[S], mut watch: Watch) -> Iterated<S> {
        let n = rhs.len();
        let share = workers.share(n, self.block);
        // x = 0 is the solution for the right-hand side 0, so that the first residual is b.
        let [mut x, mut next, mut right] = [(); 3].map(|()| vec![S::ZERO; n]);
        loop {
            let old = &x;
            let residual = workers.shares(share, [&mut right, &mut next], |first, right, next| {
                let mut square = S::ZERO;
                for (at, right) in right.iter_mut().enumerate() {
                    let row = first + at;
                    let new = without_terms(self.others.row(row), rhs[row], |column| old[column]);
                    let residual = new - *right;
                    square = square + residual * residual;
                    *right = new;
                }
                self.solve(first, right, next);
                square
            });
            if let Some(outcome) = watch.note(residual) {
                return watch.ended(x, outcome);
            }
            std::mem::swap(&mut x, &mut next);
        }
    }
}

/// D x' = b - (A - D) x.
pub(super) fn jacobi<S: Rooted>(
    matrix: &Csr<S>,
    inverse: &[S],
    workers: &Workers,
    rhs: &[S],
    mut watch: Watch,
) -> Iterated<S> {
    let n = rhs.len();
    let share = workers.share(n, 1);
    let [mut x, mut next, mut right] = [(); 3].map(|()| vec![S::ZERO; n]);
    loop {
        let old = &x;
        let residual = workers.shares(share, [&mut right, &mut next], |first, right, next| {
            let mut square = S::ZERO;
            for (at, (right, next)) in right.iter_mut().zip(next).enumerate() {
                let row = first + at;
                let others = matrix.row(row).filter(|&(column, _)| column != row);
                let new = without_terms(others, rhs[row], |column| old[column]);
                let residual = new - *right;
                square = square + residual * residual;
                *right = new;
                *next = new * inverse[row];
            }
            square
        });
        if let Some(outcome) = watch.note(residual) {
            return watch.ended(x, outcome);
        }
        std::mem::swap(&mut x, &mut next);
    }
}

/// A right-hand side without the terms of these entries.
pub(in super::super) fn without_terms<S: Scalar>(
    entries: impl Iterator<Item = (usize, S)>,
    right: S,
    value_of: impl Fn(usize) -> S,
) -> S {
    entries.fold(right, |sum, (column, value)| sum - value * value_of(column))
}

/// The entries that a sweep takes the newest values for, those that it takes old ones for, and the diagonal.
pub(super) struct Halves<S> {
    newest: Csr<S>,
    old: Csr<S>,
    inverse: Vec<S>,
    share: usize,
}

impl<S: Rooted> Halves<S> {
    pub(super) fn new(matrix: &Csr<S>, workers: &Workers) -> Result<Self> {
        let share = workers.share(matrix.rows(), 1);
        let is_newest = |row: usize, column: usize| column < row && row / share == column / share;
        Ok(Self {
            newest: matrix.filtered(is_newest),
            old: matrix.filtered(|row, column| column != row && !is_newest(row, column)),
            inverse: inverse_diagonal(matrix, "gauss-seidel")?,
            share,
        })
    }

    pub(super) fn iterate(&self, workers: &Workers, rhs: &[S], mut watch: Watch) -> Iterated<S> {
        let n = rhs.len();
        let [mut x, mut right] = [(); 2].map(|()| vec![S::ZERO; n]);
        loop {
            let residual = workers.update(&mut right, |row, right| {
                let new = without_terms(self.old.row(row), rhs[row], |column| x[column]);
                let residual = new - *right;
                *right = new;
                residual * residual
            });
            if let Some(outcome) = watch.note(residual) {
                return watch.ended(x, outcome);
            }
            workers.shares(self.share, [&mut x, &mut right], |first, x, right| {
                for at in 0..x.len() {
                    let row = first + at;
                    let sum = without_terms(self.newest.row(row), right[at], |column| x[column - first]);
                    x[at] = sum * self.inverse[row];
                }
                S::ZERO
            });
        }
    }
}
