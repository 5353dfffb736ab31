//! Tridiagonal systems: `lower[i] x[i-1] + diag[i] x[i] + upper[i] x[i+1] = rhs[i]`.
//!
//! Three levels over one mechanism:
//!
//! 1. [`solve`]: host slices in, host vector out; [`solve_with`] takes options; [`solve_or_cpu`] where a GPU may be missing.
//! 2. [`TridiagonalPlan`]: chosen, compiled and allocated once; [`TridiagonalPlan::solve`] for
//!    many solves of one [`Shape`].
//! 3. [`TridiagonalPlan::bind`] ties it to buffers of the caller's, and [`Bound::record`] puts
//!    the solve into the caller's own compute pass.
//!
//! # Which systems
//!
//! By default any nonsingular matrix: [`Algorithm::Auto`] exchanges rows if it has to. (If a pivoting partition is singular, see
//! [`Stability`], a host solve returns the CPU's answer, and a recorded one reports [`Error::SingularPartition`].) [`Algorithm::Pivoting`]
//! always exchanges rows. The other algorithms never do. They are for diagonally dominant matrices, which lose no digit (see below), and
//! for others with well-conditioned leading blocks, such as positive definite ones. Errors that a solve detects:
//!
//! - NaN or infinity in the input, a zero pivot, NaN or infinity in the result: always an error. (An intermediate overflow may give a
//!   finite number; it counts as the next kind.)
//! - Accuracy lost to small pivots: every host solve estimates its forward error. Auto and pivoting return a better answer from the CPU if
//!   there is one; the other algorithms return [`Error::Inaccurate`]. A recorded solve does not check; ask [`TridiagonalPlan::residuals`].
//! - A matrix whose condition number cond(A, x) leaves no digit of x: host solves return [`Error::NearlySingular`].
//! - After [`Bound::record`]: [`Bound::read_status`], or the words of [`Bound::status_buffer`], report the first kind, a false promise of
//!   dominance, and singular partitions.
//!
//! # Algorithms
//!
//! [`Algorithm`] states the method and the bytes of each. [`crate::cpu::tree_partitioning`] and [`WangMouPolicy`] explain their methods
//! with the example of the original paper; [`ScanPolicy`] explains the algorithm by recurrences. A [`Policy`] is an algorithm's division of
//! its work.
//!
//! # Structured matrices, and matrices factored once
//!
//! [`Structure`] states the contents of a matrix's vectors, and [`Forms`] which of them hold one number or three for all rows. [`Formulas`] are
//! WGSL of yours that computes coefficients and right-hand sides. [`Options::periodic`] states that the corners count. Every algorithm
//! accepts all of them. [`TridiagonalPlan::factor`] keeps the results that depend on the matrix alone.
//!
//! ```no_run
//! use trisolve::Gpu;
//! use trisolve::tridiagonal::{Options, Shape, System, TridiagonalPlan};
//!
//! let gpu = Gpu::new()?;
//! // a ring of 1000 cells: -x[i-1] + 2.5 x[i] - x[i+1], the first and the last being neighbours
//! let coefficients = ([-1.0f32; 3], [2.5; 3], [-1.0; 3]);
//! let ring = System::constant(&coefficients.0, &coefficients.1, &coefficients.2).periodic();
//! let plan = TridiagonalPlan::new(&gpu, Shape::single(1000), Options::default().matching(&ring))?;
//! let factored = plan.factor(&ring)?;
//! let x = factored.solve(&vec![0.5; 1000])?;
//! assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-5));
//! # Ok::<(), trisolve::Error>(())
//! ```
//!
//! # Accuracy
//!
//! Except in pivoting, every row and block carries its dominance, 1 - |p| - |q| of x = p x_prev + q x_next + r, as a separate number,
//! updated by sums of terms of one sign (the idea of Grassmann, Taksar and Heyman's elimination for Markov chains, and of Alfa, Xue and Ye
//! for diagonally dominant M-matrices). Nothing cancels: f32 solves the Poisson matrix (-1 2 -1) of 2^24 rows to a relative error of a few
//! 1e-7; Gaussian elimination in f32 has no digit left from 2^16 rows on. If the matrix is known better than its rounded diagonal, give the
//! excess: [`System::with_excess`].

pub(crate) mod algorithms;
mod bounds;
pub(crate) mod choice;
mod factored;
mod formulas;
mod host;
mod judged;
pub(crate) mod kernels;
mod named;
mod on_cpu;
mod options;
mod periodic;
pub(crate) mod plan;
mod refine;
mod residual;
mod staging;
pub(crate) mod system;
mod texels;

pub use algorithms::auto::AutoPolicy;
pub use algorithms::cyclic::CyclicPolicy;
pub use algorithms::partition::PartitionPolicy;
pub use algorithms::pivoting::PivotingPolicy;
pub use algorithms::scan::ScanPolicy;
pub use algorithms::thomas::ThomasPolicy;
pub use algorithms::tpr::TprPolicy;
pub use algorithms::wang_mou::WangMouPolicy;
pub use algorithms::{Algorithm, Policy};
pub use factored::Factored;
pub use formulas::Formulas;
pub use host::Solution;
pub use on_cpu::{CpuFactored, CpuSolution, solve_batch_on_cpu, solve_on_cpu, solve_on_cpu_reported};
pub use options::{Diagonal, Form, Forms, Options, Stability, Structure};
pub use plan::TridiagonalPlan;

pub use residual::{Residuals, TOLERATED_BACKWARD_ERROR};
pub use system::{DeviceSystem, System};
pub use texels::Resource;

use crate::error::{Error, Result};
use crate::gpu::{Gpu, LazyGpu};
use crate::place::Place;
pub use crate::plan::{Along, Bound, Layout, Parameter, Shape, Status};
use crate::real::Real;

/// Solves one system of `rhs.len()` rows; for several, make a [`TridiagonalPlan`].
///
/// Runs where [`Place::Fastest`] says. On the CPU it is [`solve_on_cpu`], and compiles nothing. On the device, the
/// `Gpu` keeps the plans of the last calls: up to 16 of all families, with up to 256 MB of device memory. A call with the same length, structure
/// and precision takes as long as [`TridiagonalPlan::solve`].
///
/// # Errors
/// As [`TridiagonalPlan::new`] and [`TridiagonalPlan::solve`].
///
/// ```no_run
/// use trisolve::{Gpu, tridiagonal::{self, System}};
///
/// let gpu = Gpu::new()?;
/// let (lower, diag, upper) = ([-1.0f32; 4], [2.0; 5], [-1.0; 4]);
/// let x = tridiagonal::solve(&gpu, &System::new(&lower, &diag, &upper), &[1.0, 0.0, 0.0, 0.0, 1.0])?;
/// assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-6));
/// # Ok::<(), trisolve::Error>(())
/// ```
pub fn solve<T: Real>(gpu: &Gpu, system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
    solve_with(gpu, system, rhs, Options::default())
}

/// As [`solve`], with options, for example another [`place`](Options::place). The system has its own diagonal, structure, forms and periodicity.
///
/// # Errors
/// As [`TridiagonalPlan::new`] and [`TridiagonalPlan::solve`].
pub fn solve_with<T: Real>(gpu: &Gpu, system: &System<'_, T>, rhs: &[T], options: Options) -> Result<Vec<T>> {
    let (shape, options) = (system.single(rhs), options.matching(system));
    if options.is_on_cpu(Some(gpu), T::PRECISION, &shape)? {
        return on_cpu::solved(&shape, system, rhs, options.dominant).map(|(x, _)| x);
    }
    // Five vectors, and the read-back.
    let bytes = 6 * size_of_val(rhs) as u64;
    let plan = |gpu: &Gpu| {
        // Also compiles the residual's kernel, which the plan leaves to the first solve.
        gpu.kernels(&plan::upcoming::<T>(gpu, &shape, &options)?)?;
        TridiagonalPlan::<T>::new(gpu, shape, options)
    };
    gpu.kept_plan((shape, options), bytes, plan)?.solve(system, rhs)
}

/// As [`solve`], or [`solve_on_cpu`] if there is no GPU, it cannot be opened, or it fails: no f64, too little memory, accuracy lost to small
/// pivots or to a negative excess, a lost device. Opens no device for systems with fewer rows than the crossover
/// ([`Place::Fastest`]) of every adapter that was tuned on this machine.
///
/// The other families need no such function: by default their host solves run on the CPU, as `solve_on_cpu` of each does.
///
/// # Errors
/// Errors of the input: [`Error::Length`], [`Error::Shape`], [`Error::NonFiniteInput`], [`Error::Singular`], [`Error::NearlySingular`];
/// [`Error::Breakdown`] and [`Error::Inaccurate`] if the CPU meets them too; [`Error::UnknownAdapter`].
///
/// ```
/// use trisolve::{LazyGpu, tridiagonal::{self, System}};
///
/// let gpu = LazyGpu::default();
/// let (lower, diag, upper) = ([-1.0f32; 4], [2.0; 5], [-1.0; 4]);
/// let x = tridiagonal::solve_or_cpu(&gpu, &System::new(&lower, &diag, &upper), &[1.0, 0.0, 0.0, 0.0, 1.0])?;
/// assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-6));
/// # Ok::<(), trisolve::Error>(())
/// ```
pub fn solve_or_cpu<T: Real>(gpu: &LazyGpu, system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
    let options = Options::default().matching(system);
    if options.place_of::<T>(gpu, &system.single(rhs))? == Place::Cpu {
        return solve_on_cpu(system, rhs);
    }
    match solve(gpu.get()?, system, rhs) {
        Err(
            Error::Unsupported { .. }
            | Error::Limit { .. }
            | Error::OutOfMemory { .. }
            | Error::Breakdown { .. }
            | Error::Inaccurate { .. }
            | Error::DeviceLost { .. },
        ) => solve_on_cpu(system, rhs),
        solved => solved,
    }
}
