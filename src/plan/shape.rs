//! Number and size of systems, and the places of their entries.

use crate::error::{Error, Result};

/// Row `i` of system `s` lies in a vector at
/// `(s / group) * group_stride + (s % group) * system_stride + i * element_stride`.
///
/// Two strides describe contiguous, interleaved and padded batches, and the first or last axis of an array. The group describes a middle
/// axis: the systems' first entries then form a two-dimensional array.
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
    /// Places of the entries: of the matrix, and of `rhs` and `x` unless these have a layout of their own.
    pub layout: Layout,
    /// The layout of `rhs` and `x`, if it differs from the matrix's. For tridiagonal systems; recurrences and filters refuse it.
    pub right: Option<Layout>,
}

/// The lines of an image that systems lie along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Along {
    /// Each row of pixels is a system.
    Rows,
    /// Each column of pixels is a system.
    Columns,
}

impl Layout {
    /// Index of row `row` of system `system`.
    fn place(&self, system: usize, row: usize) -> usize {
        let &Self { element_stride, system_stride, group, group_stride } = self;
        (system / group) * group_stride + (system % group) * system_stride + row * element_stride
    }
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
        Self { n, batch, columns: 1, column_stride: 0, layout, right: None }
    }

    /// The same systems with `columns` right-hand sides each, one whole `rhs` after the other.
    pub fn with_columns(self, columns: usize) -> Self {
        let [a, b, c] = self.moves(self.right_layout());
        Self { columns, column_stride: Self::reach(&[a, b, c]).unwrap_or(usize::MAX), ..self }
    }

    /// The same systems with `columns` right-hand sides each, `column_stride` entries from one to the next, laid out by `layout` in `rhs`
    /// and `x`. Row `i` of right-hand side `c` of system `s` then lies at
    /// `(s / group) * group_stride + (s % group) * system_stride + c * column_stride + i * element_stride`.
    pub fn with_right(self, layout: Layout, columns: usize, column_stride: usize) -> Self {
        Self { columns, column_stride, right: Some(layout), ..self }
    }

    /// The pixels of an image, as `[height, width, channels]` in `rhs` and `x`. All channels of a line share its matrix, whose vectors
    /// are `[height, width]`:
    ///
    /// ```text
    /// lower, diag, upper:  m m m m ..        rhs, x:  rgba rgba rgba rgba ..
    ///                      m m m m ..                 rgba rgba rgba rgba ..
    /// ```
    ///
    /// Pixel (row, column) has matrix entries at `row * width + column`, and channel `c` at `(row * width + column) * channels + c`.
    pub fn pixels(width: usize, height: usize, channels: usize, along: Along) -> Self {
        let shape = match along {
            Along::Rows => Self::contiguous(width, height),
            Along::Columns => Self::interleaved(height, width),
        };
        let Layout { element_stride, system_stride, group, .. } = shape.layout;
        let right = Layout {
            // Too large is refused later.
            element_stride: element_stride.saturating_mul(channels),
            system_stride: system_stride.saturating_mul(channels),
            group,
            group_stride: 0,
        };
        shape.with_right(right, channels, 1)
    }

    /// Index of row `row` of system `system` in `lower`, `diag` and `upper`.
    pub fn matrix_index(&self, system: usize, row: usize) -> usize {
        self.layout.place(system, row)
    }

    /// Index of row `row` of right-hand side `column` of system `system` in `rhs` and `x`.
    pub fn rhs_index(&self, system: usize, column: usize, row: usize) -> usize {
        self.right_layout().place(system, row) + column * self.column_stride
    }

    /// The layout of `rhs` and `x`.
    pub fn right_layout(&self) -> Layout {
        self.right.unwrap_or(self.layout)
    }

    /// Total number of right-hand sides.
    pub(crate) fn problems(&self) -> usize {
        self.batch * self.columns
    }

    /// (count, stride) of each dimension of the matrix vectors.
    fn matrix_moves(&self) -> [(usize, usize); 3] {
        self.moves(self.layout)
    }

    /// The same of `rhs` and `x`, with the right-hand sides of a matrix.
    fn right_moves(&self) -> [(usize, usize); 4] {
        let [a, b, c] = self.moves(self.right_layout());
        [a, b, c, (self.columns, self.column_stride)]
    }

    /// The same of one right-hand side per system in a layout.
    fn moves(&self, layout: Layout) -> [(usize, usize); 3] {
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
        Self::reach(&self.right_moves())
    }

    /// Checks that sizes are at least 1, and that no two entries share a place.
    pub(crate) fn validate(&self) -> Result<()> {
        for (what, size) in [("n", self.n), ("batch", self.batch), ("columns", self.columns)] {
            if size == 0 {
                return Err(Error::Shape(format!("{what} is 0; it must be at least 1")));
            }
        }
        for (what, layout) in [("layout", Some(self.layout)), ("right", self.right)] {
            if layout.is_some_and(|layout| layout.group == 0) {
                return Err(Error::Shape(format!("{what}.group is 0; without groups it is the batch")));
            }
        }
        if self.right.is_some() {
            self.check_places("lower, diag and upper", &mut self.matrix_moves())?;
        }
        let vectors = if self.right.is_some() { "rhs and x" } else { "a vector" };
        self.check_places(vectors, &mut self.right_moves())
    }

    /// The same for rows that follow from one another: one column, and one layout of all vectors.
    pub(crate) fn validate_sequences(&self) -> Result<()> {
        self.validate()?;
        if self.columns != 1 {
            return Err(Error::Shape(format!(
                "{} columns: a sequence has one; make them sequences of the batch",
                self.columns
            )));
        }
        match self.has_own_right() {
            true => Err(Error::Shape("`right`: all vectors of sequences have the shape's `layout`".into())),
            false => Ok(()),
        }
    }

    /// That no two entries of a vector share a place.
    fn check_places(&self, vectors: &str, moves: &mut [(usize, usize)]) -> Result<()> {
        moves.sort_by_key(|&(_, stride)| stride);
        let mut reach = 1usize;
        for &mut (count, stride) in moves.iter_mut().filter(|(count, _)| *count > 1) {
            if stride < reach {
                return Err(Error::Shape(format!(
                    "a stride of {stride} lets entries of {vectors} share a place, since the smaller strides already span \
                     {reach} entries: {self:?}"
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

    /// Whether neighbouring systems, or right-hand sides of one matrix, lie closer than neighbouring rows in `rhs` and `x`.
    pub(crate) fn systems_first(&self) -> bool {
        let right = self.right_layout();
        let systems = self.batch > 1 && right.group > 1 && right.system_stride < right.element_stride;
        systems || self.columns > 1 && self.column_stride < right.element_stride
    }

    /// Whether `rhs` and `x` have a layout of their own.
    pub(crate) fn has_own_right(&self) -> bool {
        self.right_layout() != self.layout
    }

    /// Whether every system starts at a multiple of `width` entries and its rows are adjacent.
    pub(crate) fn rows_aligned_to(&self, width: usize) -> bool {
        let aligned = |&(count, stride): &(usize, usize)| count == 1 || stride.is_multiple_of(width);
        let all_aligned = |moves: &[(usize, usize)]| moves[1..].iter().all(aligned);
        self.rows_side_by_side() && all_aligned(&self.matrix_moves()) && all_aligned(&self.right_moves())
    }

    pub(crate) fn rows_side_by_side(&self) -> bool {
        self.n == 1 || self.layout.element_stride == 1 && self.right_layout().element_stride == 1
    }
}
