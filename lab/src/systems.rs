//! Generated tridiagonal systems, by formula or from a seed.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::tiles::TILE;
use trisolve::Real;
use trisolve::tridiagonal::Structure;

/// One system in host memory, n entries in each vector.
#[derive(Debug, Clone, PartialEq)]
pub struct HostSystem<T> {
    /// Entries left of the diagonal. The first is NaN, since no solve may use it.
    pub lower: Vec<T>,
    /// The diagonal.
    pub diag: Vec<T>,
    /// Entries right of the diagonal. The last is NaN, since no solve may use it.
    pub upper: Vec<T>,
    /// The excess |diag| - |lower| - |upper|, with corners of 0.
    pub excess: Vec<T>,
    /// The right-hand side.
    pub rhs: Vec<T>,
}

impl<T: Real> HostSystem<T> {
    /// The system with the excess of this diagonal.
    pub(super) fn of(lower: Vec<T>, diag: Vec<T>, upper: Vec<T>, rhs: Vec<T>) -> Self {
        let n = diag.len();
        let size = |values: &[T], inside: bool, i: usize| if inside { values[i].abs() } else { T::ZERO };
        let excess = (0..n).map(|i| diag[i].abs() - size(&lower, i > 0, i) - size(&upper, i + 1 < n, i)).collect();
        Self { lower, diag, upper, excess, rhs }.with_corners()
    }

    /// Makes the rows dominant that a structure makes of a tile's vectors, if they differ from the tile's rows.
    pub(super) fn dominate(&mut self, structure: Structure) {
        let n = self.diag.len();
        for i in 0..n {
            let right = match structure {
                Structure::General => continue,
                Structure::Transposed => self.lower[(i + 1) % n],
                Structure::Symmetric => self.upper[i],
            };
            let size = self.upper[(i + n - 1) % n].abs() + right.abs() + T::from_f64(2.0 * MARGIN);
            self.diag[i] = if self.diag[i] < T::ZERO { -size } else { size };
        }
    }

    fn with_corners(mut self) -> Self {
        let n = self.diag.len();
        self.lower[0] = T::from_f64(f64::NAN);
        self.upper[n - 1] = T::from_f64(f64::NAN);
        self
    }
}

/// The least excess of [`dominant`], relative to the largest sum of a row's off-diagonals.
const MARGIN: f64 = 0.05;

/// A system with off-diagonals in (-1, 1), diagonals of either sign that are dominant by at least 0.05, and a right-hand side in
/// (-1, 1). In f64 the diagonal and its excess agree exactly only if the sum is not rounded, so compare each with its own
/// reference.
pub fn dominant<T: Real>(n: usize, seed: u64) -> HostSystem<T> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut vector =
        |low: f64, high: f64| -> Vec<T> { (0..n).map(|_| T::from_f64(random.random_range(low..high))).collect() };
    let lower = vector(-1.0, 1.0);
    let upper = vector(-1.0, 1.0);
    let excess = vector(2.0 * MARGIN, 0.5);
    let rhs = vector(-1.0, 1.0);
    let sign = vector(-1.0, 1.0);
    let diag = (0..n)
        .map(|i| {
            let a = if i > 0 { lower[i].to_f64().abs() } else { 0.0 };
            let c = if i + 1 < n { upper[i].to_f64().abs() } else { 0.0 };
            T::from_f64((a + c + excess[i].to_f64()) * sign[i].to_f64().signum())
        })
        .collect();
    HostSystem { lower, diag, upper, excess, rhs }.with_corners()
}

/// The entries of a benchmark's system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Entries {
    /// As [`dominant`].
    #[default]
    Dominant,
    /// All entries in (-1, 1).
    Random,
    /// (-1 2 -1), with a right-hand side whose solution lies in (-2, 2): its residual stays a matter of rounding at any size.
    Poisson,
}

/// `tile` rows, which long systems repeat; no entry is NaN. Neighbouring rows of a system are `element_stride` entries apart.
pub(super) fn tiled<T: Real>(entries: Entries, tile: usize, element_stride: usize, seed: u64) -> HostSystem<T> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut vector = || -> Vec<T> { (0..tile).map(|_| T::from_f64(random.random_range(-1.0..1.0))).collect() };
    let all = |value| vec![T::from_f64(value); tile];
    let (lower, diag, upper) = match entries {
        Entries::Dominant => return tiled_dominant(tile, seed),
        Entries::Random => (vector(), vector(), vector()),
        Entries::Poisson => (all(-1.0), all(2.0), all(-1.0)),
    };
    let rhs = match entries {
        Entries::Poisson => second_differences(&vector(), element_stride),
        _ => vector(),
    };
    HostSystem { lower, diag, upper, excess: vec![], rhs }
}

/// -y[i - stride] + 2 y[i] - y[i + stride] of a periodic y. With it, (-1 2 -1) has the solution y plus a linear function whose ends are
/// values of y.
fn second_differences<T: Real>(y: &[T], stride: usize) -> Vec<T> {
    let n = y.len();
    // A stride of whole periods would make all differences 0.
    let stride = (stride % n).max(1);
    (0..n).map(|i| (y[i] - y[(i + n - stride) % n]) + (y[i] - y[(i + stride) % n])).collect()
}

/// A tile of [`dominant`] rows, which large benchmarks repeat; no entry is NaN.
pub fn tiled_dominant<T: Real>(tile: usize, seed: u64) -> HostSystem<T> {
    let mut system = dominant::<T>(tile, seed);
    // The tile's corners become interior entries: they get values, and their rows stay dominant.
    system.lower[0] = T::from_f64(0.25);
    system.upper[tile - 1] = T::from_f64(-0.25);
    system.diag[0] = T::from_f64(2.0);
    system.diag[tile - 1] = T::from_f64(2.0);
    system
}

/// The vectors lower, diag, upper and rhs of `len` [`dominant`] rows, which repeat a tile as those of [`DeviceSample`](super::DeviceSample) do.
pub fn dominant_vectors<T: Real>(len: usize, seed: u64) -> [Vec<T>; 4] {
    let HostSystem { lower, diag, upper, rhs, .. } = tiled_dominant::<T>(len.clamp(2, TILE), seed);
    [lower, diag, upper, rhs].map(|tile| tile.iter().copied().cycle().take(len).collect())
}

/// The Toeplitz matrix (-1 2 -1), with the right-hand side whose solution is ones.
pub fn poisson<T: Real>(n: usize) -> HostSystem<T> {
    let minus = T::from_f64(-1.0);
    let mut rhs = vec![T::ZERO; n];
    let mut excess = vec![T::ZERO; n];
    rhs[0] = rhs[0] + T::ONE;
    rhs[n - 1] = rhs[n - 1] + T::ONE;
    excess[0] = excess[0] + T::ONE;
    excess[n - 1] = excess[n - 1] + T::ONE;
    HostSystem { lower: vec![minus; n], diag: vec![T::from_f64(2.0); n], upper: vec![minus; n], excess, rhs }
        .with_corners()
}

/// Steady diffusion through n cells with conductances between neighbours that vary over four
/// decades, and a conductance of 1 to a boundary at each end: the excess is zero inside. The
/// right-hand side is random in (0, 1).
pub fn diffusion<T: Real>(n: usize, seed: u64) -> HostSystem<T> {
    let mut random = SmallRng::seed_from_u64(seed);
    let conductance: Vec<T> = (0..=n).map(|_| T::from_f64(10f64.powf(random.random_range(-2.0..2.0)))).collect();
    let lower: Vec<T> = (0..n).map(|i| -conductance[i]).collect();
    let upper: Vec<T> = (0..n).map(|i| -conductance[i + 1]).collect();
    let mut excess = vec![T::ZERO; n];
    excess[0] = T::ONE;
    excess[n - 1] = T::ONE;
    let diag = (0..n)
        .map(|i| {
            let a = if i > 0 { conductance[i] } else { T::ZERO };
            let c = if i + 1 < n { conductance[i + 1] } else { T::ZERO };
            a + c + excess[i]
        })
        .collect();
    let rhs = (0..n).map(|_| T::from_f64(random.random_range(0.0..1.0))).collect();
    HostSystem { lower, diag, upper, excess, rhs }.with_corners()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_of_the_tiled_poisson_matrix_stay_small() {
        for (n, batch) in [(1, 1), (2, 1), (64, 1), (1000, 1), (1000, 3), (300, 7)] {
            for stride in [1, batch] {
                let HostSystem { lower, diag, upper, rhs, .. } = tiled::<f64>(Entries::Poisson, 64, stride, 7);
                for system in 0..batch {
                    let first = if stride == 1 { system * n } else { system };
                    let repeat = |tile: &[f64]| (0..n).map(|row| tile[(first + row * stride) % 64]).collect::<Vec<_>>();
                    let [lower, diag, upper, rhs] = [&lower, &diag, &upper, &rhs].map(|tile| repeat(tile));
                    let x = trisolve::cpu::thomas_carried(&lower, &diag, &upper, &rhs).expect("a dominant matrix");
                    assert!(x.iter().all(|x| x.abs() < 2.0), "{n} x {batch}, stride {stride}: {x:?}");
                    assert!(n < 64 || x.iter().any(|x| x.abs() > 0.1), "{n} x {batch}, stride {stride}: {x:?}");
                }
            }
        }
    }
}
