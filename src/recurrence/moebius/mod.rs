//! Moebius recurrences: `w[i] = (a[i] w[i-1] + b[i]) / (c[i] w[i-1] + d[i])`
//! (`shaders/moebius/*.wgsl`, and the launches of linear recurrences).
//!
//! Examples are continued fractions (`w[i] = d[i] + b[i] / w[i-1]` has a = d, b, c = 1, d = 0), the pivots of Gaussian elimination, the
//! Riccati equation in one unknown, and the reflection of layered media. A. Wakatani names this non-linear recurrence as the next step
//! after linear ones, for Thomas's algorithm ("Evaluation of P-Scheme/G Algorithm for Solving Recurrence Equations", 2013, section V):
//! [`Algorithm::Scan`](crate::tridiagonal::Algorithm::Scan) is that step. Three levels over one mechanism, as for the other families:
//! [`solve`], [`MoebiusPlan`], and [`MoebiusPlan::bind`] with [`Bound::record`](super::Bound::record).
//!
//! # How
//!
//! A row is the matrix (a b; c d) up to a factor, and rows compose as matrices multiply (H. S. Stone, "An Efficient Parallel Algorithm for
//! the Solution of a Tridiagonal Linear System of Equations", 1973). A thread composes 8 rows (f64: 4), a workgroup composes its threads'
//! maps, and a second launch composes the workgroups' maps. The third launch computes each row's value from the one before. If a sequence
//! is one slice of up to 2048 rows (f64: 1024), it is the only launch.
//!
//! | of a row | in one launch | in three |
//! | --- | --- | --- |
//! | numbers read, written | 4, 1 | 8, 1, and 22 for each slice |
//! | bytes in f32 | 20 | 36 |
//! | multiplications and additions | 18 | 30 |
//! | divisions | 1 | 1 |
//!
//! Powers of two and the threads' maps take as many operations again. Sequentially it is 4 operations and a division
//! ([`cpu::moebius`](crate::cpu::moebius)). Bitwise reproducible.
//!
//! # Numbers
//!
//! A value is held as a quotient p/q, so infinity is an ordinary value: if c w + d is 0, w is infinite (with the sign of a w + b), and the
//! next row continues from a/c. A map is held as the images of infinity and 0, two quotients, with an exponent between them. Powers of two
//! are factored out wherever they arise, which rounds nothing: products of any number of rows stay in range. Only values beyond 2^124 (f64:
//! 2^1020) may count as infinite, and values below 2^-124 (2^-1020) as 0. If c w + d is smaller than its rounding error, so that its sign is
//! unknown, an infinite w may have either sign.
//!
//! If a w + b and c w + d do not cancel, each step of the composition adds a few units of roundoff to the values' relative error. A
//! sequence of many rows then sums a logarithmic number of steps, not all rows. If they cancel, the loss depends on the rows' condition, as
//! in a sequential solve; it also depends on cancellation in products of neighbouring rows, which a sequential solve does not have.
//!
//! Solves from the host state the *error of a value*: with sigma = (|a w| + |b|) / (|c w| + |d|) of the value w before, its distance
//! |w^ - w| / sigma / sqrt((1 + (w / sigma)^2) (1 + (w^ / sigma)^2)) from the exact value. That is half of the relative error, or less where
//! a w + b or c w + d cancels: a value near 0 or infinity is accurate relative to the size of its terms.
//!
//! 0/0 has no value: it arises if a singular matrix, such as a row of zeros, meets its kernel. The solve then returns
//! [`Error::Indeterminate`] with the sequence and row. A singular matrix that meets other values starts anew: its value does not depend on
//! earlier rows.

mod host;
pub(crate) mod kernels;
mod on_cpu;
pub(crate) mod plan;
mod system;

pub(crate) use kernels::{CHUNK, SHUFFLE};
pub(crate) use kernels::{MAP_VALUES, POINT_VALUES, map, rows_each};
pub use on_cpu::{solve_batch_on_cpu, solve_on_cpu};
pub use plan::{MoebiusPlan, Options};
pub use system::{DeviceMoebius, Moebius};

use super::{Coefficient, Shape};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::real::Real;

/// Solves one sequence; for several, make a [`MoebiusPlan`]. Runs where [`Options::place`] says: on the CPU it is [`solve_on_cpu`], on the
/// device the `Gpu` keeps the last plans, as for [`tridiagonal::solve`](crate::tridiagonal::solve).
///
/// # Errors
/// [`Error::Options`] if no coefficient is a vector, which leaves the length undefined; as [`MoebiusPlan::new`] and [`MoebiusPlan::solve`].
///
/// ```no_run
/// use trisolve::{Gpu, recurrence::{Coefficient, moebius::{self, Moebius, Options}}};
///
/// let gpu = Gpu::new()?;
/// // 1 + 1/w, from 1: quotients of Fibonacci's numbers.
/// let one = Coefficient::Constant(1.0f32);
/// let zero = Coefficient::Constant(0.0);
/// let quotients = Moebius { a: Coefficient::Each(&[1.0; 4]), b: one, c: one, d: zero, initial: one };
/// let w = moebius::solve(&gpu, &quotients, Options::default())?;
/// assert!((w[3] - 8.0 / 5.0).abs() < 1e-6);
/// # Ok::<(), trisolve::Error>(())
/// ```
pub fn solve<T: Real>(gpu: &Gpu, moebius: &Moebius<'_, T>, options: Options) -> Result<Vec<T>> {
    let n = [moebius.a, moebius.b, moebius.c, moebius.d].into_iter().find_map(|part| match part {
        Coefficient::Each(values) => Some(values.len()),
        _ => None,
    });
    let Some(n) = n else {
        return Err(Error::Options("none of a, b, c and d is a vector: a plan's shape says how many rows".into()));
    };
    if options.is_on_cpu() {
        return solve_on_cpu(n, moebius, options.direction).map(|solution| solution.w);
    }
    let shape = Shape::single(n);
    let bytes = (6 * n * size_of::<T>()) as u64;
    gpu.kept_plan((shape, options), bytes, |gpu| MoebiusPlan::<T>::new(gpu, shape, options))?.solve(moebius)
}
