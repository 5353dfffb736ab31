//! All uses of wgpu: the device and its feature ladder, kernels, buffers, timing.
//!
//! This module knows no family of systems.

#[cfg(feature = "internals")]
mod awake;
mod buffer;
mod capabilities;
mod context;
pub(crate) mod kernel;
mod kernel_cache;
mod kernels;
mod lazy;
mod parallel_copy;
pub(crate) mod probe;
mod read_back;
mod recent;
mod stopwatch;
pub(crate) mod timing;
mod uploads;
pub(crate) use buffer::whole_buffer;
pub use buffer::{DeviceSlice, DeviceVector};
pub use capabilities::{Capabilities, FeatureSwitches, required_limits, wanted_features};
pub use context::{AdapterSummary, Gpu, GpuOptions, adapters};
pub(crate) use kernel::{CompiledKernel, Stage, grid_for};
pub use kernel_cache::KernelCacheFile;
pub use lazy::LazyGpu;
pub(crate) use read_back::{Copies, ReadBack, Received};
pub(crate) use stopwatch::Stopwatch;
pub use stopwatch::Timing;
pub use timing::{PassTimer, Samples, copy_bandwidth};
