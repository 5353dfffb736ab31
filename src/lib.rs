//! Tridiagonal systems on any GPU.
pub mod cpu;
mod error;
pub mod gpu;
pub mod matrix_market;
mod real;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tridiagonal;

pub use error::{Error, Result};
pub use gpu::wgsl::Precision;
pub use gpu::{
    AdapterSummary, Capabilities, DeviceSlice, DeviceVector, FeatureSwitches, Gpu, GpuOptions, adapters,
    required_limits, wanted_features,
};
pub use real::{Real, Scalar};
