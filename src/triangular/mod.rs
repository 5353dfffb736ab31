//! Dense triangular systems A x = b (`shaders/triangular/*.wgsl`): the level 2 BLAS operation `trsv`, and `trsm` of a
//! few right-hand sides.
//!
//! After J. D. Hogg, "A fast dense triangular solve in CUDA", SIAM Journal on Scientific Computing 35 (2013). Three
//! levels over one mechanism, as for the other families: [`solve`], [`TriangularPlan`], and [`TriangularPlan::bind`]
//! with [`Bound::record`](crate::triangular::Bound::record).
//!
//! # How
//!
//! The matrix is divided into blocks of 64 rows and columns (32 of few rows, and where workgroup memory is scarce), and every block row
//! is a workgroup's: it multiplies its blocks by the unknowns solved before, which are subtracted from the right-hand
//! side, and solves its diagonal block. [`Algorithm::Chained`] does all in one launch, in which workgroups tell each
//! other what they have solved; [`Algorithm::LaunchSynced`] in one launch for every few block rows. With
//! [`Algorithm::Single`] one workgroup solves all of a small system, eight rows per step.
//!
//! An upper triangle is a lower one solved from its last row, and a transposed one differs in how it is read: all of
//! `uplo`, `trans`, `diag` and `order` cost the same.
//!
//! | | operations | bytes read in f32 |
//! | --- | --- | --- |
//! | a system of n rows | n^2 | 2 n^2 |
//! | each right-hand side more, of up to 8 at once | n^2 | 4 n |
//!
//! # Numbers
//!
//! x solves a system whose entries differ from the given ones by a few n u of their size each, u the unit roundoff:
//! the componentwise backward error max_i |b - A x|_i / (|A| |x| + |b|)_i, which [`cpu::triangular_backward_error`](
//! crate::cpu::triangular_backward_error) computes, is bounded by a small multiple of n u whatever the condition of
//! A (N. J. Higham, "Stability of parallel triangular system solvers", 1995). The critical path multiplies by
//! inverses of diagonal blocks D, whose rows may lose up to || |D^-1| |D| || times what substitution loses: where that
//! is above 64, the block is solved by substitution.
//!
//! The other triangle, and with [`Diag::Unit`] the diagonal, may hold anything. The same inputs give the same bits
//! run after run.

pub(crate) mod choice;
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

pub use host::Solution;
pub use model::{TriangularModel, TriangularWork};
pub use on_cpu::{CpuSolution, condition, solve_on_cpu};
pub use options::{Algorithm, Diag, Options, Order, Trans, Uplo};
pub use plan::TriangularPlan;
pub use policy::{ChainedPolicy, LaunchSyncedPolicy, Policy, SinglePolicy};
pub use shape::Shape;
pub use system::DeviceSystem;

use crate::error::{Error, Result};
use crate::gpu::Gpu;
pub use crate::plan::{Bound, Status};
use crate::real::Real;

/// Solves one system, column by column without gaps; for several, or the same shape again, make a
/// [`TriangularPlan`].
///
/// # Errors
/// [`Error::Length`] where the matrix does not have as many entries as `rhs` has squared; as [`TriangularPlan::new`] and
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
    TriangularPlan::new(gpu, Shape::single(n), options)?.solve(matrix, rhs)
}
