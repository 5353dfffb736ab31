//! Triangular systems by substitution.

use crate::error::{Error, Result};
use crate::real::Scalar;

/// A triangular matrix in host memory, as it is solved with: transposed where that is asked, with its diagonal.
#[derive(Debug, Clone, Copy)]
pub struct Triangle<'a, S> {
    entries: &'a [S],
    n: usize,
    /// Columns of a lower triangle, rows of an upper one, that have entries; the others are those of the identity.
    stored: usize,
    /// From a row to the next, and from a column to the next.
    strides: [usize; 2],
    lower: bool,
    unit: bool,
}

impl<'a, S: Scalar> Triangle<'a, S> {
    /// Of n rows whose entry (i, j) is `entries[i * strides[0] + j * strides[1]]`. `lower`: the lower triangle, solved from row 0 on;
    /// `unit`: its diagonal counts as ones.
    ///
    /// The length of `entries` is taken for granted.
    pub fn new(entries: &'a [S], n: usize, strides: [usize; 2], lower: bool, unit: bool) -> Self {
        Self { entries, n, stored: n, strides, lower, unit }
    }

    /// The same with entries in the first `stored` columns (of an upper triangle: rows) only; the others are those of the identity.
    pub fn with_stored(self, stored: usize) -> Self {
        Self { stored, ..self }
    }

    /// Rows and columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Whether row 0 is the first to be solved.
    pub fn is_lower(&self) -> bool {
        self.lower
    }

    /// Whether rows of a column lie side by side.
    pub(crate) fn has_contiguous_columns(&self) -> bool {
        self.strides[0] == 1
    }

    /// The numbers that begin with row `at`'s entry in column 0 (if columns are contiguous: column `at`'s in row 0), which follow each other
    /// there; those outside of the triangle, and on a unit diagonal, mean nothing. `None` if the entries are those of the identity.
    pub(crate) fn line(&self, at: usize) -> Option<&'a [S]> {
        let [down, across] = self.strides;
        let stride = if self.has_contiguous_columns() { across } else { down };
        (at < self.stored).then(|| &self.entries[at * stride..])
    }

    /// The transposed matrix, of the other triangle.
    pub(crate) fn transposed(self) -> Self {
        let [down, across] = self.strides;
        Self { strides: [across, down], lower: !self.lower, ..self }
    }

    /// An entry in the triangle.
    pub(crate) fn entry(&self, i: usize, j: usize) -> S {
        let [down, across] = self.strides;
        let missing = (if self.lower { j } else { i }) >= self.stored;
        if i == j && (self.unit || missing) {
            S::ONE
        } else if missing {
            S::ZERO
        } else {
            self.entries[i * down + j * across]
        }
    }

    /// The columns and entries of a row that are not zero by shape.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, S)> + use<'a, S> {
        let this = *self;
        let columns = if self.lower { 0..i + 1 } else { i..self.n };
        columns.map(move |j| (j, this.entry(i, j)))
    }
}

/// Forward or backward substitution, row by row: n^2 operations.
///
/// # Errors
/// [`Error::Length`] for a right-hand side of another length, [`Error::ZeroDiagonal`] for a diagonal with a zero.
pub fn trsv<S: Scalar>(triangle: &Triangle<'_, S>, rhs: &[S]) -> Result<Vec<S>> {
    let n = triangle.n();
    if rhs.len() != n {
        return Err(Error::Length { vector: "rhs", expected: n.to_string(), found: rhs.len() });
    }
    let mut x = rhs.to_vec();
    for step in 0..n {
        let i = if triangle.is_lower() { step } else { n - 1 - step };
        let (mut left, mut diagonal) = (x[i], S::ONE);
        for (j, entry) in triangle.row(i) {
            if i == j {
                diagonal = entry;
            } else {
                left = left - entry * x[j];
            }
        }
        if diagonal == S::ZERO {
            return Err(Error::ZeroDiagonal { system: 0, row: i });
        }
        x[i] = if triangle.unit { left } else { left / diagonal };
    }
    Ok(x)
}

/// The componentwise backward error max_i |b - A x|_i / (|A| |x| + |b|)_i: by how much of its size each entry has
/// to change so that x solves the system (Oettli and Prager 1964). 0/0 counts as 0.
pub fn triangular_backward_error(triangle: &Triangle<'_, f64>, rhs: &[f64], x: &[f64]) -> f64 {
    let error = |i: usize| {
        let (mut residual, mut size) = (rhs[i], rhs[i].abs());
        for (j, entry) in triangle.row(i) {
            residual -= entry * x[j];
            size += (entry * x[j]).abs();
        }
        if residual == 0.0 { 0.0 } else { residual.abs() / size }
    };
    worst((0..triangle.n()).map(error))
}

/// The largest of errors, which are not negative: NaN where one is NaN, 0 of none.
pub fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    // Of either sign NaN comes after all numbers so.
    errors.map(f64::abs).max_by(f64::total_cmp).unwrap_or(0.0)
}
