//! Tridiagonal, quasi-tridiagonal and triangular systems, linear recurrences and filters on any GPU, fast and accurate, from WGSL compute shaders on wgpu.
//!
//! # Three kinds of user
//!
//! **With vectors on the host**, one call:
//!
//! ```no_run
//! use trisolve::{Gpu, tridiagonal::{self, System}};
//!
//! let gpu = Gpu::new()?;
//! // -x[i-1] + 2 x[i] - x[i+1] = rhs[i]
//! let (lower, diag, upper) = (vec![-1.0f32; 1000], vec![2.0; 1000], vec![-1.0; 1000]);
//! let mut rhs = vec![0.0; 1000];
//! (rhs[0], rhs[999]) = (1.0, 1.0);
//! let x = tridiagonal::solve(&gpu, &System::new(&lower, &diag, &upper), &rhs)?;
//! assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-5));
//! # Ok::<(), trisolve::Error>(())
//! ```
//!
//! **With a wgpu device of your own**, plan and bind once, record each frame:
//!
//! ```no_run
//! # fn frame(device: wgpu::Device, queue: wgpu::Queue, info: wgpu::AdapterInfo,
//! #          buffer: &wgpu::Buffer, pass: &mut wgpu::ComputePass<'_>) -> trisolve::Result<()> {
//! use trisolve::{DeviceSlice, Gpu, tridiagonal::{DeviceSystem, Options, Shape, TridiagonalPlan}};
//!
//! let gpu = Gpu::from_wgpu(device, queue, info);
//! let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(4096), Options::default())?;
//! let range = |index: u64| DeviceSlice::new(buffer, index * 16384, 4096);
//! let system = DeviceSystem { lower: range(0), diag: range(1), upper: range(2), rhs: range(3), x: None };
//! let bound = plan.bind(&system)?;
//! // each frame, in a pass of your own: allocates nothing, submits nothing, cannot fail
//! bound.record(pass);
//! // now and then, outside: NaN in the input, a zero pivot?
//! bound.read_status()?.check()?;
//! # Ok(())
//! # }
//! ```
//!
//! **With an untested GPU**: the program's `trisolve check` compares every kernel
//! on it with an f64 reference; `trisolve bench` compares its speed with its copy bandwidth.
//!
//! # Where to look
//!
//! | to | see |
//! | --- | --- |
//! | choose an algorithm, or understand the accuracy | [`tridiagonal`], [`tridiagonal::Algorithm`] |
//! | solve with a symmetric, transposed, constant or periodic matrix | [`tridiagonal::Structure`], [`tridiagonal::System`] |
//! | solve with one matrix again and again | [`tridiagonal::Factored`], [`tridiagonal::CpuFactored`] |
//! | solve where there are entries beside the three diagonals | [`quasi_tridiagonal`] |
//! | solve with a dense triangular matrix | [`triangular`] |
//! | solve w\[i\] = s\[i\] w\[i-1\] + t\[i\] | [`recurrence`] |
//! | filter signals: y\[n\] = b\[0\] x\[n\] + ... - a\[1\] y\[n-1\] - ... | [`filter`] |
//! | solve w\[i\] = (a\[i\] w\[i-1\] + b\[i\]) / (c\[i\] w\[i-1\] + d\[i\]) | [`recurrence::moebius`] |
//! | compute s or t within the solve | [`recurrence::Formulas`] |
//! | describe a batch, or an axis of an array | [`tridiagonal::Shape`], [`tridiagonal::Layout`] |
//! | give a diagonal as its excess | [`tridiagonal::System::with_excess`] |
//! | open a device, now or when it is needed, or use yours | [`Gpu`], [`LazyGpu`], [`wanted_features`], [`required_limits`] |
//! | choose between the device and the CPU | [`Place`] |
//! | solve without a GPU, or where one may be missing | [`tridiagonal::solve_or_cpu`], [`tridiagonal::solve_batch_on_cpu`], `solve_on_cpu` of each family, `solve_batch_on_cpu` of recurrences and filters |
//! | divide the work otherwise, or keep what measured best | [`tridiagonal::Policy`], [`tuning`] |
//! | choose which solves check their answers | [`Check`] |
//! | see where the time of a solve went | [`Timing`], in the `Solution` of each family |
//! | compile kernels ahead | [`Gpu::warm_up`] |
//! | read an error | [`Error`] |
//! | read and write Matrix Market files | [`matrix_market`] |
//!
//! # Features
//!
//! None for users. `internals` opens what the package `trisolve-lab` tests and measures, without a promise of stability.
//!
//! # Unsafe code
//!
//! One place: outside of [`GpuOptions::checked`] mode, shaders are compiled without the bounds
//! checks and loop bounds that wgpu would add. Every shader runs with them in the tests.
#![warn(missing_docs)]
// `internals` re-exports what its types are made of only in part.
#![cfg_attr(not(feature = "internals"), warn(unnameable_types))]

mod arithmetic;
mod check;
pub mod cpu;
mod csr;
mod error;
pub mod filter;
mod formulas;
pub mod gpu;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod judge;
pub mod matrix_market;
mod outcome;
mod place;
mod plan;
mod precision;
pub mod quasi_tridiagonal;
mod real;
pub mod recurrence;
mod shader;
mod status;
pub mod triangular;
pub mod tridiagonal;
pub mod tuning;
mod warm_up;

pub use check::Check;
pub use error::{Error, Result};
pub use gpu::{
    AdapterSummary, Capabilities, DeviceSlice, DeviceVector, FeatureSwitches, Gpu, GpuOptions, KernelCacheFile,
    LazyGpu, Timing, adapters, required_limits, wanted_features,
};
pub use place::Place;
pub use precision::Precision;
pub use real::{DoubleDouble, Real, Scalar, Stored, Wide};
pub use warm_up::{Upcoming, WarmUp};
/// The wgpu whose types are in this library's interface.
pub use wgpu;
