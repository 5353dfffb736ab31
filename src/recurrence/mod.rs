//! Linear recurrences: `w[i] = s[i] w[i-1] + t[i]`.
//!
//! They occur in filters, exponential smoothing, elimination and state-space models. Three levels over one mechanism, as for
//! [`tridiagonal`](crate::tridiagonal) systems: [`solve`] for host slices, [`RecurrencePlan`] for many solves of one [`Shape`],
//! [`RecurrencePlan::bind`] and [`Bound::record`] for a pass of the caller's.
//!
//! # Numbers
//!
//! Rows compose: several rows map the value before them by one factor and one summand. Factors of many rows leave the range of T long
//! before the values do, so they carry a separate exponent. If a summand leaves the range, the slice is composed again with exponents for
//! both. A value that grows past the range is infinity, not NaN. A value multiplied by 0 starts anew and does not depend on earlier values.
//! A value also starts anew after factors with a product below 2^-252 (f64: 2^-2044): the largest earlier value then contributes at most
//! 2^-124 (2^-1020), and infinity is also forgotten within some rows. One pass also starts anew if the largest earlier value would not
//! affect the last digits of the later rows' result. Factors and summands below the normal range may count as 0.
//!
//! # Quotients
//!
//! w\[i\] = (a\[i\] w\[i-1\] + b\[i\]) / (c\[i\] w\[i-1\] + d\[i\]) is a [Moebius recurrence](moebius).
//!
//! # Computed coefficients
//!
//! A coefficient that depends on the row's number, or on a shorter vector, need not be a vector: [`Formulas`] of s, t or both are WGSL that
//! is computed within the solve.
//!
//! ```no_run
//! use trisolve::{Gpu, recurrence::{Coefficient, Formulas, Options, Recurrence, RecurrencePlan, Shape}};
//!
//! let gpu = Gpu::new()?;
//! // The losses of every hour of the day, and what is added in each hour of a year.
//! let (loss, added) = (vec![0.1f32; 24], vec![1.0f32; 8760]);
//! let formulas = Formulas::new().s("exp(-loss(i % 24u))").vector("loss");
//! let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(8760), Options::default(), &formulas)?;
//! let w = plan.solve(&Recurrence {
//!     s: Coefficient::Computed(&[("loss", &loss)]),
//!     t: Coefficient::Each(&added),
//!     initial: Coefficient::Constant(0.0),
//! })?;
//! # Ok::<(), trisolve::Error>(())
//! ```

mod formulas;
mod host;
pub(crate) mod kernels;
pub(crate) mod launches;
pub mod moebius;
pub(crate) mod on_cpu;
pub(crate) mod one_pass;
mod options;
mod overlapped;
pub mod p_scheme;
pub(crate) mod plan;
mod policy;
mod programs;
mod system;

pub use formulas::Formulas;
pub use host::Solution;
pub use on_cpu::{CpuSolution, solve_batch_on_cpu, solve_on_cpu};
pub use options::{Algorithm, Direction, Options};
#[cfg(feature = "internals")]
pub use p_scheme::key as p_scheme_key;
pub use p_scheme::{PSchemeFit, PSchemeModel, PSchemePhases};
pub use plan::RecurrencePlan;
pub use policy::{PSchemePolicy, Policy};
pub use system::{Coefficient, DeviceCoefficient, DeviceRecurrence, Recurrence};

use crate::error::{Error, Result};
use crate::gpu::Gpu;
pub use crate::plan::{Bound, Layout, Parameter, Shape, Status};
use crate::real::Real;

/// Solves one sequence; for several, make a [`RecurrencePlan`]. Runs where [`Options::place`] says: on the CPU it is [`solve_on_cpu`], on the
/// device the `Gpu` keeps the last plans, as for [`tridiagonal::solve`](crate::tridiagonal::solve).
///
/// # Errors
/// [`Error::Options`] if no coefficient is a vector, which leaves the length undefined; as [`RecurrencePlan::new`] and
/// [`RecurrencePlan::solve`].
///
/// ```no_run
/// use trisolve::{Gpu, recurrence::{self, Options, Recurrence}};
///
/// let gpu = Gpu::new()?;
/// let w = recurrence::solve(&gpu, &Recurrence::new(&[0.5f32; 4], &[1.0; 4]), Options::default())?;
/// assert_eq!(w, [1.0, 1.5, 1.75, 1.875]);
/// # Ok::<(), trisolve::Error>(())
/// ```
pub fn solve<T: Real>(gpu: &Gpu, recurrence: &Recurrence<'_, T>, options: Options) -> Result<Vec<T>> {
    let n = match (recurrence.s, recurrence.t) {
        (Coefficient::Each(values), _) | (_, Coefficient::Each(values)) => values.len(),
        _ => return Err(Error::Options("neither s nor t is a vector: a plan's shape says how many rows".into())),
    };
    if options.is_on_cpu(recurrence.is_computed())? {
        return solve_on_cpu(n, recurrence, options.direction).map(|solution| solution.w);
    }
    let shape = Shape::single(n);
    let bytes = (4 * n * size_of::<T>()) as u64;
    gpu.kept_plan((shape, options), bytes, |gpu| RecurrencePlan::<T>::new(gpu, shape, options))?.solve(recurrence)
}
