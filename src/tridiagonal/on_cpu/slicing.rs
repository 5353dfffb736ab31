//! How vector lanes share a batch: each takes a slice of rows of one right-hand side.

use super::tile::{LANES, TILE};
use crate::plan::Shape;

/// Shorter slices cost more to merge than to solve.
const LEAST_ROWS: usize = 16;
/// A batch of at least [`LANES`] right-hand sides gives each one lane if it has at most this many rows (any number if systems lie closer than
/// rows): merging slices would cost more than it saves.
const FEW_ROWS: usize = 2048;

/// The slices of all right-hand sides, in groups of [`LANES`].
#[derive(Debug)]
pub struct Slicing {
    shape: Shape,
    /// Slices of each right-hand side.
    pub slices: usize,
    order: Order,
}

/// What neighbouring lanes take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Slices,
    Systems,
    Columns,
}

/// Whether each vector lane solves a whole system of its own.
pub fn is_system_per_lane(shape: &Shape) -> bool {
    shape.problems() >= LANES && (shape.systems_first() || shape.n <= FEW_ROWS)
}

/// The slice of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    pub system: usize,
    pub column: usize,
    pub first_row: usize,
    pub rows: usize,
    /// Where its relations and measures stand among those of all slices, problem by problem.
    pub at: usize,
}

impl Slicing {
    pub fn new(shape: &Shape) -> Self {
        let n = shape.n;
        let order = match shape.systems_first() {
            true if shape.columns > 1 && shape.column_stride < shape.right_layout().system_stride => Order::Columns,
            true => Order::Systems,
            false => Order::Slices,
        };
        let slices = if is_system_per_lane(shape) { 1 } else { n.div_ceil(n.div_ceil(LANES).clamp(LEAST_ROWS, TILE)) };
        Self { shape: *shape, slices, order }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Slices in all.
    pub fn len(&self) -> usize {
        self.shape.problems() * self.slices
    }

    /// Whether the groups have the slices problem by problem.
    pub fn is_in_order(&self) -> bool {
        let Shape { batch, columns, .. } = self.shape;
        let nested: &[usize] = match self.order {
            Order::Slices => &[],
            Order::Systems => &[batch, columns, self.slices],
            Order::Columns => &[batch * columns, self.slices],
        };
        nested.iter().filter(|count| **count > 1).count() < 2
    }

    pub fn groups(&self) -> usize {
        self.len().div_ceil(LANES)
    }

    /// The most rows of a slice.
    pub fn rows(&self) -> usize {
        self.shape.n.div_ceil(self.slices)
    }

    /// The slices of a group, neighbours in memory side by side. Lanes beyond the last slice repeat it.
    pub fn group(&self, group: usize) -> [Slice; LANES] {
        std::array::from_fn(|lane| self.slice((group * LANES + lane).min(self.len() - 1)))
    }

    fn slice(&self, number: usize) -> Slice {
        let Shape { n, batch, columns, .. } = self.shape;
        let slices = self.slices;
        let (system, column, slice) = match self.order {
            Order::Slices => (number / slices / columns, number / slices % columns, number % slices),
            Order::Systems => (number % batch, number / batch % columns, number / batch / columns),
            Order::Columns => (number / columns % batch, number % columns, number / columns / batch),
        };
        // The first n % slices have a row more.
        let (rows, more) = (n / slices, n % slices);
        let problem = system * columns + column;
        Slice {
            system,
            column,
            first_row: slice * rows + slice.min(more),
            rows: rows + usize::from(slice < more),
            at: problem * slices + slice,
        }
    }
}
