//! The host's share of a sample in device memory: a tile of random numbers, which long vectors repeat.

use std::ops::Range;

use rand::Rng;
use rand::rngs::SmallRng;

use trisolve::Real;

/// The most numbers in a tile.
pub(super) const TILE: usize = 1 << 22;

/// A tile for a vector of `len` entries, uniform in `range`.
pub(super) fn uniform_tile<T: Real>(len: usize, range: Range<f64>, random: &mut SmallRng) -> Vec<T> {
    (0..len.min(TILE)).map(|_| T::from_f64(random.random_range(range.clone()))).collect()
}
