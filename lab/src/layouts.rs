//! Placements and layouts of a case's vectors in device memory, for every family.

use rand::Rng;
use rand::rngs::SmallRng;

use trisolve::tridiagonal::{Layout, Shape};

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

/// The layouts with one right-hand side per system.
pub(super) fn single_column_layouts(n: usize, batch: usize, random: &mut SmallRng) -> Vec<(&'static str, Shape)> {
    layouts(n, batch, random).into_iter().filter(|(_, shape)| shape.columns == 1).collect()
}
