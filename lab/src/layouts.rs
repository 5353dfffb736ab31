//! Placements and layouts of a case's vectors in device memory, for every family.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use trisolve::tridiagonal::{Along, Layout, Shape};

/// How a case's vectors lie in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// One buffer per vector.
    Apart,
    /// The solution overwrites an input, for systems the right-hand side.
    InPlace,
    /// Ranges of one buffer.
    OneBuffer,
}

impl Placement {
    /// All placements.
    pub const ALL: [Self; 3] = [Self::Apart, Self::InPlace, Self::OneBuffer];
}

/// Draws one of several.
pub(super) fn pick<N: Copy>(random: &mut SmallRng, all: &[N]) -> N {
    all[random.random_range(0..all.len())]
}

/// One shape per layout, with the layout's name.
pub(super) fn layouts(n: usize, batch: usize, random: &mut SmallRng) -> Vec<(&'static str, Shape)> {
    let pad = random.random_range(1..9);
    let grouped = Layout { element_stride: 3, system_stride: 1, group: 3, group_stride: 3 * n + pad };
    vec![
        ("contiguous", Shape::contiguous(n, batch)),
        ("aligned", Shape::padded(n, batch, n.next_multiple_of(4) + 4)),
        ("padded", Shape::padded(n, batch, n + pad)),
        ("interleaved", Shape::interleaved(n, batch)),
        ("strided", Shape::strided(n, batch, 3, 3 * n + pad)),
        ("middle axis", Shape::with_layout(n, batch, grouped)),
        ("columns", Shape::contiguous(n, batch).with_columns(3)),
        ("interleaved columns", Shape::interleaved(n, batch).with_columns(2)),
    ]
}

/// A shape whose right-hand sides have a layout of their own, and its name: pixels along rows or columns, or two drawn layouts.
pub fn own_right(n: usize, batch: usize, random: &mut SmallRng) -> (&'static str, Shape) {
    match random.random_range(0..4) {
        0 => ("pixels along rows", Shape::pixels(n, batch, random.random_range(1..5), Along::Rows)),
        1 => ("pixels along columns", Shape::pixels(batch, n, random.random_range(1..5), Along::Columns)),
        _ => {
            let columns = random.random_range(1..5);
            let (layout, _) = drawn_layout(n, batch, 1, random);
            let (right, column_stride) = drawn_layout(n, batch, columns, random);
            ("drawn", Shape::with_layout(n, batch, layout).with_right(right, columns, column_stride))
        }
    }
}

/// A layout, and the stride between right-hand sides of one system: groups or none, the dimensions in any order, and gaps or none.
fn drawn_layout(n: usize, batch: usize, columns: usize, random: &mut SmallRng) -> (Layout, usize) {
    let group = if random.random() { batch } else { random.random_range(1..=batch) };
    let counts = [n, group, batch.div_ceil(group), columns];
    let mut order = [0, 1, 2, 3];
    order.shuffle(random);
    let mut strides = [0; 4];
    let mut reach = 1;
    for dimension in order {
        strides[dimension] = reach + if random.random() { 0 } else { random.random_range(1..6) };
        reach += (counts[dimension] - 1) * strides[dimension];
    }
    let [element_stride, system_stride, group_stride, column_stride] = strides;
    (Layout { element_stride, system_stride, group, group_stride }, column_stride)
}

/// The layouts with one right-hand side per system.
pub(super) fn single_column_layouts(n: usize, batch: usize, random: &mut SmallRng) -> Vec<(&'static str, Shape)> {
    layouts(n, batch, random).into_iter().filter(|(_, shape)| shape.columns == 1).collect()
}
