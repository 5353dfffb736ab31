//! Number and size of systems, and the places of their entries.

use crate::error::{Error, Result};

/// Row `i` of system `s` lies in each vector at
/// `(s / group) * group_stride + (s % group) * system_stride + i * element_stride`.
///
/// Two strides describe contiguous, interleaved and padded batches, and the first or last axis of an array. The group describes a middle
/// axis: the systems' first entries then form a two-dimensional array. All vectors of a batch share one layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Stride from a row to the next.
    pub element_stride: usize,
    /// Stride from a system to the next of its group.
    pub system_stride: usize,
    /// Systems per group.
    pub group: usize,
    /// Stride from a group to the next.
    pub group_stride: usize,
}

/// The systems a plan solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of each system, at least 1.
    pub n: usize,
    /// Systems, at least 1, each with its own matrix.
    pub batch: usize,
    /// Right-hand sides of each matrix, at least 1.
    pub columns: usize,
    /// Stride from a right-hand side to the next of the same matrix, in `rhs` and `x`. Ignored for one column.
    pub column_stride: usize,
    /// Places of the entries.
    pub layout: Layout,
}

impl Shape {
    /// One system of `n` rows.
    pub fn single(n: usize) -> Self {
        Self::contiguous(n, 1)
    }

    /// `batch` systems one after the other: the last axis of an array `[batch, n]`.
    pub fn contiguous(n: usize, batch: usize) -> Self {
        Self::padded(n, batch, n)
    }

    /// `batch` systems, each starting `system_stride` entries after the one before.
    pub fn padded(n: usize, batch: usize, system_stride: usize) -> Self {
        Self::strided(n, batch, 1, system_stride)
    }

    /// `batch` systems, row by row: the first axis of an array `[n, batch]`.
    pub fn interleaved(n: usize, batch: usize) -> Self {
        Self::strided(n, batch, batch, 1)
    }

    /// Any two strides.
    pub fn strided(n: usize, batch: usize, element_stride: usize, system_stride: usize) -> Self {
        let layout = Layout { element_stride, system_stride, group: batch, group_stride: 0 };
        Self::with_layout(n, batch, layout)
    }

    /// The lines along one axis of a row-major array, in row-major order of the other axes.
    ///
    /// # Errors
    /// [`Error::Shape`] if the axis does not exist, or the array's size overflows.
    pub fn axis(dims: &[usize], axis: usize) -> Result<Self> {
        let n = *dims
            .get(axis)
            .ok_or_else(|| Error::Shape(format!("axis {axis} of an array of {} dimensions", dims.len())))?;
        let product = |part: &[usize]| {
            part.iter()
                .try_fold(1usize, |all, &dim| all.checked_mul(dim))
                .ok_or_else(|| Error::Shape(format!("an array of {dims:?} entries")))
        };
        let inner = product(&dims[axis + 1..])?;
        let total = product(dims)?;
        let layout = Layout {
            element_stride: inner,
            system_stride: 1,
            group: inner,
            group_stride: n.checked_mul(inner).unwrap_or(total),
        };
        let batch = total.checked_div(n).unwrap_or(0);
        let shape = Self::with_layout(n, batch, layout);
        // Along the last axis each group holds one system: two strides suffice.
        Ok(if inner == 1 { Self::contiguous(n, batch) } else { shape })
    }

    /// Any layout.
    pub fn with_layout(n: usize, batch: usize, layout: Layout) -> Self {
        Self { n, batch, columns: 1, column_stride: 0, layout }
    }

    /// The same systems with `columns` right-hand sides each, one whole `rhs` after the other.
    pub fn with_columns(self, columns: usize) -> Self {
        Self { columns, column_stride: self.matrix_len().unwrap_or(usize::MAX), ..self }
    }

    /// Index of row `row` of system `system` in `lower`, `diag` and `upper`.
    pub fn matrix_index(&self, system: usize, row: usize) -> usize {
        let Layout { element_stride, system_stride, group, group_stride } = self.layout;
        (system / group) * group_stride + (system % group) * system_stride + row * element_stride
    }

    /// Index of row `row` of right-hand side `column` of system `system` in `rhs` and `x`.
    pub fn rhs_index(&self, system: usize, column: usize, row: usize) -> usize {
        self.matrix_index(system, row) + column * self.column_stride
    }

    /// Total number of right-hand sides.
    pub(crate) fn problems(&self) -> usize {
        self.batch * self.columns
    }

    /// (count, stride) of each dimension of the matrix vectors.
    fn matrix_moves(&self) -> [(usize, usize); 3] {
        let layout = &self.layout;
        let inner = layout.group.min(self.batch);
        [
            (self.n, layout.element_stride),
            (inner, layout.system_stride),
            (self.batch.div_ceil(layout.group.max(1)), layout.group_stride),
        ]
    }

    fn reach(moves: &[(usize, usize)]) -> Option<usize> {
        moves
            .iter()
            .try_fold(1usize, |reach, &(count, stride)| count.checked_sub(1)?.checked_mul(stride)?.checked_add(reach))
    }

    /// Number of entries that each of `lower`, `diag` and `upper` spans, or None past `usize`.
    pub fn matrix_len(&self) -> Option<usize> {
        Self::reach(&self.matrix_moves())
    }

    /// Number of entries that each of `rhs` and `x` spans, or None past `usize`.
    pub fn rhs_len(&self) -> Option<usize> {
        let [a, b, c] = self.matrix_moves();
        Self::reach(&[a, b, c, (self.columns, self.column_stride)])
    }

    /// Checks that sizes are at least 1, and that no two entries share a place.
    pub(crate) fn validate(&self) -> Result<()> {
        for (what, size) in [("n", self.n), ("batch", self.batch), ("columns", self.columns)] {
            if size == 0 {
                return Err(Error::Shape(format!("{what} is 0; it must be at least 1")));
            }
        }
        if self.layout.group == 0 {
            return Err(Error::Shape("layout.group is 0; without groups it is the batch".into()));
        }
        let [a, b, c] = self.matrix_moves();
        let mut moves = [a, b, c, (self.columns, self.column_stride)];
        moves.sort_by_key(|&(_, stride)| stride);
        let mut reach = 1usize;
        for (count, stride) in moves.into_iter().filter(|&(count, _)| count > 1) {
            if stride < reach {
                return Err(Error::Shape(format!(
                    "a stride of {stride} lets entries share a place, since the smaller strides already span {reach} \
                     entries: {self:?}"
                )));
            }
            reach = (count - 1)
                .checked_mul(stride)
                .and_then(|step| step.checked_add(reach))
                .ok_or_else(|| self.past_addresses())?;
        }
        Ok(())
    }

    /// The error of a shape whose entries cannot be counted.
    pub(crate) fn past_addresses(&self) -> Error {
        let Self { n, batch, columns, .. } = self;
        Error::Shape(format!(
            "{n} rows, {batch} systems and {columns} right-hand sides each span more entries than an address can say"
        ))
    }

    /// Whether neighbouring systems lie closer than neighbouring rows.
    pub(crate) fn systems_first(&self) -> bool {
        self.batch > 1 && self.layout.group > 1 && self.layout.system_stride < self.layout.element_stride
    }

    /// Whether every system starts at a multiple of `width` entries and its rows are adjacent.
    pub(crate) fn rows_aligned_to(&self, width: usize) -> bool {
        let [_, inner, outer] = self.matrix_moves();
        let aligned = |(count, stride): (usize, usize)| count == 1 || stride.is_multiple_of(width);
        self.rows_side_by_side() && aligned(inner) && aligned(outer) && aligned((self.columns, self.column_stride))
    }

    pub(crate) fn rows_side_by_side(&self) -> bool {
        let [rows, ..] = self.matrix_moves();
        rows.0 == 1 || rows.1 == 1
    }
}
