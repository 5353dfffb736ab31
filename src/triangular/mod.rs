//! Dense triangular systems A x = b (`shaders/triangular/*.wgsl`): the level 2 BLAS operation `trsv`, and `trsm` of a
//! few right-hand sides.
//!
//! After J. D. Hogg, "A fast dense triangular solve in CUDA", SIAM Journal on Scientific Computing 35 (2013). Three
//! levels over one mechanism, as for the other families: [`solve`], [`TriangularPlan`], and [`TriangularPlan::bind`]
//! with [`Bound::record`](crate::triangular::Bound::record).
//!
//! # How
//!
//! The matrix is divided into blocks of 64 rows and columns (32 for few rows, or if workgroup memory is scarce). A workgroup takes a block
//! row: it multiplies its blocks by the unknowns solved before, subtracts the products from the right-hand side, and solves its diagonal
//! block. [`Algorithm::Chained`] does all in one launch, in which workgroups pass their solved unknowns to each other;
//! [`Algorithm::LaunchSynced`] inverts all diagonal blocks in one launch, and then takes two launches per few block rows. With
//! [`Algorithm::Single`] one workgroup solves a whole small system, eight rows per step; with [`Algorithm::Abreast`] up to 64 right-hand sides of it
//! at once.
//!
//! An upper triangle is a lower one solved from its last row; a transposed one differs only in its loads. So all values of `uplo`, `trans`,
//! `diag` and `order` cost the same.
//!
//! | | operations | bytes read in f32 |
//! | --- | --- | --- |
//! | a system of n rows | n^2 | 2 n^2 |
//! | each right-hand side more, of up to 8 at once | n^2 | 4 n |
//! | a trapezoid with m stored columns | m (2 n - m) | 2 m (2 n - m) |
//!
//! A solve with a trapezoid ([`Shape::with_stored`]) solves with its triangle and multiplies its other rows, as sparse direct solvers need it
//! for supernodes.
//!
//! # Numbers
//!
//! x solves a system whose entries differ from the given ones by a few n u of their size each, u the unit of roundoff. The componentwise
//! backward error max_i |b - A x|_i / (|A| |x| + |b|)_i, which [`cpu::triangular_backward_error`](crate::cpu::triangular_backward_error)
//! computes, is bounded by a small multiple of n u for any condition number of A (N. J. Higham, "Stability of parallel triangular system
//! solvers", 1995). The critical path multiplies by inverses of diagonal blocks D. Their rows may lose up to || |D^-1| |D| || times as much
//! as substitution does: above 64, the block is solved by substitution.
//!
//! The other triangle, and with [`Diag::Unit`] the diagonal, may hold anything. Bitwise reproducible.

mod abreast;
pub(crate) mod choice;
pub(crate) mod factored;
mod host;
pub(crate) mod kernels;
mod model;
mod on_cpu;
mod options;
mod panels;
pub(crate) mod plan;
pub(crate) mod policy;
mod programs;
mod shape;
mod single;
mod system;
#[cfg(feature = "internals")]
mod trace;

pub use factored::Factored;
pub use host::Solution;
pub use model::{TriangularModel, TriangularWork};
pub use on_cpu::{CpuSolution, condition, solve_on_cpu};
pub use options::{Algorithm, Diag, Options, Order, Trans, Uplo};
pub use plan::TriangularPlan;
pub use policy::{AbreastPolicy, ChainedPolicy, LaunchSyncedPolicy, Policy, SinglePolicy};
pub use shape::Shape;
pub use system::DeviceSystem;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use trace::TracedRow;

use crate::error::{Error, Result};
use crate::gpu::Gpu;
pub use crate::plan::{Bound, Status};
use crate::real::Real;

/// Solves one system, column by column without gaps; for several, make a [`TriangularPlan`]. Runs where [`Options::place`] says: on the CPU it
/// is [`solve_on_cpu`], on the device the `Gpu` keeps the last plans, as for [`tridiagonal::solve`](crate::tridiagonal::solve).
///
/// # Errors
/// [`Error::Length`] if the matrix does not have as many entries as `rhs` has squared; as [`TriangularPlan::new`] and
/// [`TriangularPlan::solve`].
///
/// ```no_run
/// use trisolve::{Gpu, triangular::{self, Options}};
///
/// let gpu = Gpu::new()?;
/// // 2 x = 2, x + 4 y = 9
/// let x = triangular::solve(&gpu, &[2.0f32, 1.0, 0.0, 4.0], &[2.0, 9.0], Options::default())?;
/// assert_eq!(x, [1.0, 2.0]);
/// # Ok::<(), trisolve::Error>(())
/// ```
pub fn solve<T: Real>(gpu: &Gpu, matrix: &[T], rhs: &[T], options: Options) -> Result<Vec<T>> {
    let n = rhs.len();
    if n.checked_mul(n) != Some(matrix.len()) {
        let expected = format!("{}, the square of rhs's {n}", n.saturating_mul(n));
        return Err(Error::Length { vector: "matrix", expected, found: matrix.len() });
    }
    let (shape, bytes) = (Shape::single(n), size_of_val(matrix) as u64);
    if options.is_on_cpu()? {
        return solve_on_cpu(&shape, &options, matrix, rhs).map(|solution| solution.x);
    }
    gpu.kept_plan((shape, options), bytes, |gpu| TriangularPlan::<T>::new(gpu, shape, options))?.solve(matrix, rhs)
}
