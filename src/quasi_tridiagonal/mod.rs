//! Quasi-tridiagonal systems: A x = b with A = T + S, tridiagonal but for some entries per row.
//!
//! After K. Li, W. Yang and K. Li, "A Hybrid Parallel Solving Algorithm on GPU for Quasi-Tridiagonal System of Linear Equations" (IEEE TPDS
//! 2016): its hybrid iteration, [`Algorithm::Hisa`], the block form, [`Algorithm::Bhisa`], and the methods that the paper compares them
//! with, all on the device. Three levels over one mechanism:
//! 1. [`solve`]: host vectors in, host vector out.
//! 2. [`QuasiTridiagonalPlan`]: the matrix split and uploaded, a method compiled; [`QuasiTridiagonalPlan::solve`] for
//!    many right-hand sides. For matrices in device memory, whose entries may change each frame,
//!    [`QuasiTridiagonalPlan::for_pattern`] and [`QuasiTridiagonalPlan::bind_matrix`].
//! 3. [`QuasiTridiagonalPlan::bind`] ties it to vectors in device memory; [`Bound::solve`] runs it, and
//!    [`Bound::record`] puts it into a compute pass of the caller's.
//!
//! # How it goes
//!
//! Iterations are recorded in advance, several per submission. Scalars stay on the device: after every iteration it decides whether to
//! stop, and then skips the recorded rest. The host reads sixteen words per submission. S is stored in slices of 32 rows (sliced ELL), each
//! as wide as its longest row. Rows far longer than their neighbours are split into pieces, which whole workgroups add first; so
//! neighbouring threads always have equal work.
//!
//! The right-hand side is first divided by its largest entry, so that no norm leaves the range of numbers. The true residual confirms the
//! end of a Krylov method; if its recurrence has drifted, it restarts from the true residual. So do mixed methods, which iterate in f32 on
//! the residual in f64.
//!
//! # Device or CPU
//!
//! Solves run on the device: there is no [`Place`](crate::Place) to choose. The CPU has Gauss-Seidel, which converges for fewer matrices and to another
//! residual than the methods of the device, and elimination of matrices with few other entries ([`solve_directly`]). [`solve_on_cpu`] tries
//! one after the other.
//!
//! # When it does not converge
//!
//! [`Error::NotConverged`] reports the [`Outcome`] and alternatives to try; [`Report`] has the residuals of all iterations, and the rows
//! that break the dominance ([`Dominance`]) that the splittings need.

mod bound;
mod colours;
mod device_csr;
mod direct;
mod division;
mod dominance;
mod engine;
mod host;
mod hybrid;
pub(crate) mod kernels;
mod methods;
mod on_cpu;
mod options;
#[cfg(feature = "internals")]
pub(crate) mod permutations;
pub(crate) mod plan;
pub(crate) mod policy;
mod recipe;
mod report;
mod sections;
mod split;
mod store;
mod system;
mod verify;

pub use crate::csr::Csr;
pub use crate::outcome::Outcome;
pub use bound::Bound;
pub use device_csr::{BoundMatrix, DeviceCsr, Pattern};
pub use direct::{DirectSolution, solve_directly};
pub use dominance::Dominance;
pub use host::Solution;
pub use on_cpu::{CpuSolution, solve_on_cpu};
pub use options::{Algorithm, MOST_ITERATIONS, MOST_RESTART, Options, Preconditioner, Stop, default_tolerance};
pub use plan::QuasiTridiagonalPlan;
pub use policy::{BhisaPolicy, HisaPolicy, Policy};
pub use report::Report;
pub use system::DeviceSystem;

use direct::eliminated_after;

use crate::error::{Error, Result};
use crate::gpu::{Gpu, Stopwatch, Timing};
use crate::real::Real;

/// Solves one system; for several right-hand sides, or to choose, make a [`QuasiTridiagonalPlan`].
///
/// By [`Algorithm::Auto`]; if its splitting does not converge, by [`Algorithm::Bicgstab`], then by [`Algorithm::Gmres`].
///
/// Each call splits and uploads the matrix; only the compiled kernels stay with the `Gpu`. The plan is not kept for the next call, as those of
/// the other families are: it holds the matrix, all entries of which a call would have to compare with its own, and the vectors of an iteration of
/// several submissions, which calls from several threads could not share.
///
/// # Errors
/// As [`QuasiTridiagonalPlan::new`] and [`QuasiTridiagonalPlan::solve`].
///
/// ```no_run
/// use trisolve::Gpu;
/// use trisolve::quasi_tridiagonal::{self, Csr};
///
/// let gpu = Gpu::new()?;
/// // 4 x[i] - x[i-1] - x[i+1] - x[i+5] = 1
/// let row = |i: usize| [(i, 4.0f32), (i.wrapping_sub(1), -1.0), (i + 1, -1.0), (i + 5, -1.0)].map(|(j, v)| (i, j, v));
/// let matrix = Csr::from_triplets(100, (0..100).flat_map(row).filter(|entry| entry.1 < 100))?;
/// let x = quasi_tridiagonal::solve(&gpu, &matrix, &[1.0; 100])?;
/// assert!(matrix.relative_residual(&x, &[1.0; 100])? < 1e-5);
/// # Ok::<(), trisolve::Error>(())
/// ```
pub fn solve<T: Real>(gpu: &Gpu, matrix: &Csr<T>, rhs: &[T]) -> Result<Vec<T>> {
    solve_by_any(gpu, matrix, rhs, Options::default()).map(|solution| solution.x)
}

/// As [`solve`], with options, by the methods of [`Options::in_turn`]; the report names the method that converged. [`Solution::timing`] is that of
/// all methods that were tried, with their plans.
///
/// # Errors
/// As [`solve`]; if none converges, the error of the method with the smallest residual.
pub fn solve_by_any<T: Real>(gpu: &Gpu, matrix: &Csr<T>, rhs: &[T], options: Options) -> Result<Solution<T>> {
    let auto = options.algorithm == Algorithm::Auto;
    let mut nearest: Option<(f64, Error, Option<Solution<T>>)> = None;
    let mut timing = Timing::default();
    for options in options.in_turn(matrix) {
        let plan = match QuasiTridiagonalPlan::new(gpu, matrix, options) {
            Err(error @ Error::ZeroOnDiagonal { .. }) => {
                nearest = nearest.or(Some((f64::INFINITY, error, None)));
                continue;
            }
            plan => plan?,
        };
        timing += plan.timing();
        let tried = plan.attempt(rhs)?;
        let error = match plan.accepted(rhs, tried.clone()) {
            Err(error @ (Error::NotConverged { .. } | Error::NoDigits { .. } | Error::Unverified { .. })) => error,
            other => {
                return other.map(|solution| {
                    timing += solution.timing;
                    Solution { timing, ..solution }
                });
            }
        };
        timing += tried.timing;
        let residual = tried.report.relative_residual;
        let residual = if residual.is_nan() { f64::INFINITY } else { residual };
        if nearest.as_ref().is_none_or(|(least, ..)| residual < *least) {
            nearest = Some((residual, error.clone(), Some(tried)));
        }
        // The same rounding would stop another method too.
        if matches!(error, Error::NotConverged { outcome: Outcome::Rounded, .. }) {
            break;
        }
    }
    match nearest {
        Some((_, error, Some(tried))) if auto => {
            let mut watch = Stopwatch::start();
            let direct = eliminated_after(error, matrix, rhs)?;
            let report = Report { outcome: Outcome::Eliminated, ..tried.report };
            let (forward_error, condition) = (direct.forward_error, Some(direct.condition));
            watch.lap(|timing| &mut timing.solving);
            timing += watch.timing();
            Ok(Solution { x: direct.x, report, forward_error, condition, timing, ..tried })
        }
        Some((_, error, _)) => Err(error),
        None => Err(Error::Options("no method was tried".into())),
    }
}
