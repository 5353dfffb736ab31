//! Linear recurrences with constant coefficients: IIR filters of order 1 to 4 in direct form, and cascades of second-order sections.
//!
//! y\[n\] = b\[0\] x\[n\] + ... + b\[k\] x\[n-k\] - a\[1\] y\[n-1\] - ... - a\[k\] y\[n-k\], all over a\[0\], as in signal libraries
//! (`lfilter` of SciPy). Three levels over one mechanism, as for [`tridiagonal`](crate::tridiagonal) systems: [`solve`] for one
//! signal in host memory, [`FilterPlan`] for many solves of one [`Shape`], [`FilterPlan::bind`] and [`Bound::record`] for a pass of the
//! caller's.
//!
//! # State
//!
//! In direct form, the state after a row is k numbers, in transposed direct form II (Oppenheim and Schafer, "Discrete-Time Signal Processing", section
//! 6.3): y\[n\] = b\[0\] x\[n\] + z\[0\], then z\[i\] becomes b\[i+1\] x\[n\] - a\[i+1\] y\[n\] + z\[i+1\] with z\[k\] = 0. A long signal
//! can be filtered in blocks, each from the final state of the previous one. [`steady_state`] is the initial state that avoids a step at
//! the signal's beginning.
//!
//! # Numbers
//!
//! The state obeys z' = A z + B x with the same matrix A in every row. Several rows map the state before them as z -> A^rows z + f. The
//! kernels compose the k numbers f with powers of A, which the host computes in f64; if these are large, in a basis in which no power is
//! large. Errors are of the order of a sequential filter's in the signals' precision, often smaller. They grow in the same way if poles lie
//! close together near the unit circle: in f32 a low-pass of order 4 with a cut-off at 3 % of half the sampling rate is correct to three
//! digits, at 0.7 % to one. [`Coefficients::rounding_noise`] and [`Cascade::rounding_noise`] estimate them.
//!
//! Host solves bound the error of each sequence from the sizes of its input and output. If the bound is large, the CPU filters the sequence
//! in wider arithmetic, and the solve returns the CPU's outputs if they are better. Recorded solves are not judged: [`FilterPlan::bind`]
//! returns [`Error::Noisy`](crate::Error::Noisy) if the rounding error may exceed one per cent of the largest output; then use f64, fewer
//! rows at a time, or a [`Cascade`] of second-order sections. Poles on the unit circle (integrators, resonators) are as accurate as others. A
//! filter with poles outside is rejected ([`Error::Unstable`](crate::Error::Unstable)) for sequences over which the powers leave the range
//! of numbers.
//!
//! ```no_run
//! use trisolve::{Gpu, filter::{Coefficients, FilterPlan, Options, Shape}};
//!
//! let gpu = Gpu::new()?;
//! // A resonator at a tenth of the sampling rate; 8 channels in blocks of 4096 samples.
//! let (r, angle) = (0.99f64, 0.2 * std::f64::consts::PI);
//! let resonator = Coefficients::new(&[1.0 - r], &[1.0, -2.0 * r * angle.cos(), r * r])?;
//! let plan = FilterPlan::<f32>::new(&gpu, Shape::contiguous(4096, 8), &resonator, Options::default())?;
//! let mut states = vec![0.0; 8 * resonator.order()];
//! for block in [vec![1.0f32; 8 * 4096], vec![0.0; 8 * 4096]] {
//!     let solution = plan.solve_from(&block, Some(&states))?;
//!     states = solution.final_states;
//! }
//! # Ok::<(), trisolve::Error>(())
//! ```

mod bank;
mod basis;
mod cascade;
mod coefficients;
mod constants;
mod error_bound;
mod host;
pub(crate) mod kernels;
mod matrix;
mod on_cpu;
mod one_pass;
mod options;
mod overlapped;
mod plain;
pub(crate) mod plan;
mod powers;
mod programs;
mod sensitivity;
mod signals;
mod silence;
mod verify;

pub use bank::Bank;
pub use cascade::{Cascade, steady_state};
pub use coefficients::Coefficients;
pub use host::Solution;
pub use on_cpu::{CpuSolution, solve_batch_on_cpu, solve_on_cpu};
pub use options::{Algorithm, Direction, Options};
pub use plan::FilterPlan;
pub use signals::DeviceSignals;

use crate::error::Result;
use crate::gpu::Gpu;
pub use crate::plan::{Bound, Layout, Shape, Status};
use crate::real::Real;

/// The highest order in direct form.
pub const MAX_ORDER: usize = 4;

/// The most sections of a cascade.
pub const MAX_SECTIONS: usize = 4;

/// The order of a section.
const SECTION_ORDER: usize = 2;

/// The most numbers of a state.
const MAX_STATE: usize = SECTION_ORDER * MAX_SECTIONS;

/// Filters one signal from state 0; for several, make a [`FilterPlan`]. Runs where [`Options::place`] says: on the CPU it is [`solve_on_cpu`].
/// The `Gpu` keeps the last plans, as for [`tridiagonal::solve`](crate::tridiagonal::solve), by the length, the precision and the coefficients.
///
/// # Errors
/// As [`solve_on_cpu`]; on the device as [`FilterPlan::new`] and [`FilterPlan::solve`].
///
/// ```no_run
/// use trisolve::{Gpu, filter::{self, Coefficients, Options}};
///
/// let gpu = Gpu::new()?;
/// let smoother = Coefficients::new(&[0.5], &[1.0, -0.5])?;
/// let y = filter::solve(&gpu, &smoother, &[1.0f32; 4], Options::default())?;
/// assert_eq!(y, [0.5, 0.75, 0.875, 0.9375]);
/// # Ok::<(), trisolve::Error>(())
/// ```
pub fn solve<T: Real>(gpu: &Gpu, filter: impl Into<Cascade>, x: &[T], options: Options) -> Result<Vec<T>> {
    let filter = filter.into();
    if options.is_on_cpu()? {
        return solve_on_cpu(filter, x, &[], options.direction).map(|solution| solution.y);
    }
    let shape = Shape::single(x.len());
    let bytes = 2 * size_of_val(x) as u64;
    let make = |gpu: &Gpu| FilterPlan::<T>::new(gpu, shape, &filter, options);
    gpu.kept_plan((shape, filter.clone(), options), bytes, make)?.solve(x)
}
