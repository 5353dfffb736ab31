//! All that touches wgpu: the device and its feature ladder, kernels, buffers, timing.
//!
//! This module knows no family of systems.

#[cfg(feature = "testing")]
mod awake;
mod buffer;
mod capabilities;
mod context;
mod kernel;
mod probe;
mod timing;
#[cfg(feature = "testing")]
pub(crate) use awake::Awake;
pub use buffer::{DeviceSlice, DeviceVector};
pub(crate) use buffer::{Reading, whole_buffer};
pub use capabilities::{Capabilities, FeatureSwitches, required_limits, wanted_features};
pub use context::{AdapterSummary, Gpu, GpuOptions, adapters};
#[cfg(feature = "testing")]
pub(crate) use kernel::compilers;
pub(crate) use kernel::{Kernel, Stage, grid_for};
#[cfg(feature = "testing")]
pub(crate) use probe::probe_permutation;
#[cfg(feature = "testing")]
pub(crate) use timing::copy_permutation;
pub use timing::{PassTimer, Samples, copy_bandwidth};
