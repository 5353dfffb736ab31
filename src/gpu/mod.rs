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
pub(crate) mod probe;
pub(crate) mod timing;
pub use buffer::{DeviceSlice, DeviceVector};
pub(crate) use buffer::{Reading, whole_buffer};
pub use capabilities::{Capabilities, FeatureSwitches, required_limits, wanted_features};
pub use context::{AdapterSummary, Gpu, GpuOptions, adapters};
pub(crate) use kernel::{CompiledKernel, Stage, grid_for};
pub use kernel_cache::KernelCacheFile;
pub use timing::{PassTimer, Samples, copy_bandwidth};
