//! Tridiagonal systems on any GPU.
mod error;
pub mod cpu;
pub mod gpu;
mod real;
pub mod tridiagonal;

pub use error::{Error, Result};
pub use gpu::wgsl::Precision;
pub use gpu::{
    AdapterSummary, Capabilities, DeviceSlice, DeviceVector, FeatureSwitches, Gpu, GpuOptions, adapters,
    required_limits, wanted_features,
};
pub use real::{Real, Scalar};
