//! Number and size of systems, and the places of their entries.

use super::options::{Diag, Options, Order, Trans, Uplo};
use crate::cpu::Triangle;
use crate::error::{Error, Result};
use crate::plan;
use crate::real::Scalar;

/// The systems of a plan: `batch` matrices of n rows and columns, with `columns` right-hand sides each.
///
/// Entry (i, j) of matrix `s` lies at `s * matrix_stride + i + j * leading` (row-major: `j + i * leading`). Row `i` of its right-hand side
/// `k` lies at `s * vector_stride + k * column_stride + i * increment`; with a negative increment, as in BLAS, at `... + (n - 1 - i) *
/// |increment|`.
///
/// A trapezoid has fewer stored columns than rows ([`Shape::with_stored`]), as the supernodes of sparse direct solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of each matrix, and its columns with those of the identity ([`Shape::stored`]); 0 leaves nothing to do.
    pub n: usize,
    /// Stored columns of each matrix (row-major: rows), 1 to n; the other columns are those of the identity.
    pub stored: usize,
    /// Matrices, at least 1.
    pub batch: usize,
    /// Right-hand sides of each, at least 1.
    pub columns: usize,
    /// The leading dimension: stride from a column to the next (row-major: a row), at least n.
    pub leading: usize,
    /// Stride from a matrix to the next; 0 if all systems share one matrix.
    pub matrix_stride: usize,
    /// Stride from a row of a right-hand side to the next; not 0.
    pub increment: isize,
    /// Stride from a right-hand side to the next of the same matrix.
    pub column_stride: usize,
    /// Stride from a system's right-hand sides to the next system's.
    pub vector_stride: usize,
}

impl Shape {
    /// One matrix of a batch for the CPU's references. Its transposition, triangle and diagonal are those of the options.
    ///
    /// The lengths are taken for granted.
    pub fn triangle<'a, S: Scalar>(&self, options: &Options, entries: &'a [S], system: usize) -> Triangle<'a, S> {
        let transposed = options.trans == Trans::Transpose;
        let along_rows = (options.order == Order::ColumnMajor) != transposed;
        let strides = if along_rows { [1, self.leading] } else { [self.leading, 1] };
        let own = entries.get(system * self.matrix_stride..).unwrap_or_default();
        let lower = (options.uplo == Uplo::Lower) != transposed;
        Triangle::new(own, self.n, strides, lower, options.diag == Diag::Unit).with_stored(self.stored)
    }

    /// One system.
    pub fn single(n: usize) -> Self {
        Self::batch(n, 1)
    }

    /// Systems one after the other.
    pub fn batch(n: usize, batch: usize) -> Self {
        Self {
            n,
            stored: n,
            batch,
            columns: 1,
            leading: n.max(1),
            matrix_stride: n.saturating_mul(n),
            increment: 1,
            column_stride: n,
            vector_stride: n,
        }
    }

    /// The same with `columns` right-hand sides per matrix, one after the other.
    pub fn with_columns(self, columns: usize) -> Self {
        let column_stride = self.n.saturating_mul(self.increment.unsigned_abs());
        Self { columns, column_stride, vector_stride: column_stride.saturating_mul(columns), ..self }
    }

    /// The same with another leading dimension, and without gaps between matrices; a matrix that all systems share stays shared.
    pub fn with_leading(self, leading: usize) -> Self {
        Self { leading, ..self }.with_stored(self.stored)
    }

    /// The same with only the first `stored` columns of a column-major lower triangle, or rows of a row-major upper one, and without gaps
    /// between matrices. With A = (L11; L21), L11 of `stored` rows:
    ///
    /// - A x = b solves L11 x1 = b1 and gives x2 = b2 - L21 x1: a supernode's part of a forward substitution.
    /// - A^T x = b takes x2 = b2 and solves L11^T x1 = b1 - L21^T x2: its part of a backward substitution.
    ///
    /// A solve reads the stored entries once. [`Algorithm::Single`](super::Algorithm::Single) and [`Algorithm::Abreast`](super::Algorithm::Abreast) take no trapezoids.
    pub fn with_stored(self, stored: usize) -> Self {
        let matrix_stride = if self.matrix_stride == 0 { 0 } else { self.leading.saturating_mul(stored) };
        Self { stored, matrix_stride, ..self }
    }

    /// Whether fewer columns are stored than there are rows.
    pub fn is_trapezoid(&self) -> bool {
        self.stored < self.n
    }

    /// The same with this stride between rows of right-hand sides, backward if negative.
    pub fn with_increment(self, increment: isize) -> Self {
        Self { increment, ..self }.with_columns(self.columns)
    }

    /// The same with one matrix for all systems.
    pub fn shared(self) -> Self {
        Self { matrix_stride: 0, ..self }
    }

    /// Index of the entry at place `along` of column `over` (row-major: row).
    pub fn matrix_index(&self, system: usize, along: usize, over: usize) -> usize {
        system * self.matrix_stride + along + over * self.leading
    }

    /// Index of a row of a right-hand side in `rhs` and in `x`.
    pub fn vector_index(&self, system: usize, column: usize, row: usize) -> usize {
        let at = if self.increment < 0 { self.n - 1 - row } else { row };
        system * self.vector_stride + column * self.column_stride + at * self.increment.unsigned_abs()
    }

    /// Entries that the matrices span, or None past `usize`.
    pub fn matrix_len(&self) -> Option<usize> {
        let Some(last) = self.stored.checked_sub(1) else {
            return Some(0);
        };
        let one = last.checked_mul(self.leading)?.checked_add(self.n)?;
        (self.batch - 1).checked_mul(self.matrix_stride)?.checked_add(one)
    }

    /// Entries that `rhs` and `x` span each, or None past `usize`.
    pub fn vector_len(&self) -> Option<usize> {
        if self.n == 0 { Some(0) } else { self.vectors().rhs_len() }
    }

    /// The right-hand sides as a shape of the other families, without their direction.
    pub(crate) fn vectors(&self) -> plan::Shape {
        let vectors = plan::Shape::strided(self.n, self.batch, self.increment.unsigned_abs(), self.vector_stride);
        plan::Shape { columns: self.columns, column_stride: self.column_stride, ..vectors }
    }

    /// Checks that sizes are valid, and that no two entries share a place.
    pub(crate) fn validate(&self, options: &Options) -> Result<()> {
        let Self { n, stored, batch, columns, leading, matrix_stride, increment, .. } = *self;
        for (what, size) in [("batch", batch), ("columns", columns)] {
            if size == 0 {
                return Err(Error::Shape(format!("{what} is 0; it must be at least 1")));
            }
        }
        if increment == 0 {
            return Err(Error::Shape("increment is 0; rows side by side have 1".into()));
        }
        if leading < n.max(1) {
            return Err(Error::Shape(format!(
                "a leading dimension of {leading}; columns of {n} entries need {}",
                n.max(1)
            )));
        }
        if stored > n || stored == 0 && n > 0 {
            return Err(Error::Shape(format!("{stored} stored columns of a matrix of {n} rows; take 1 to {n}")));
        }
        if self.is_trapezoid() && (options.uplo == Uplo::Lower) != (options.order == Order::ColumnMajor) {
            return Err(Error::Shape(format!(
                "{stored} stored columns of {n} rows; only column-major lower and row-major upper triangles can lack columns (rows); \
                 change uplo or order, or store all {n} columns"
            )));
        }
        if n == 0 {
            return Ok(());
        }
        if batch > 1 && matrix_stride > 0 && matrix_stride < (stored - 1).saturating_mul(leading).saturating_add(n) {
            return Err(Error::Shape(format!(
                "a matrix stride of {matrix_stride} lets matrices of {stored} columns of {leading} share places; where they \
                 are the same, it is 0"
            )));
        }
        self.vectors().validate()
    }
}
