//! A device that is opened when a solve first needs it.

use std::sync::{Arc, OnceLock};

use super::context::{Gpu, GpuOptions};
use crate::error::Result;

/// A device that is opened when a solve first needs it; opening takes 20 ms to 1 s. For solves that may run on the CPU, as
/// [`tridiagonal::solve_or_cpu`](crate::tridiagonal::solve_or_cpu). Keep it as long as a [`Gpu`]; clones share the device.
#[derive(Debug, Clone, Default)]
pub struct LazyGpu {
    options: GpuOptions,
    opened: Arc<OnceLock<Result<Gpu>>>,
}

impl LazyGpu {
    /// Opens nothing yet; [`LazyGpu::default`] will open the fastest adapter.
    pub fn with_options(options: GpuOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The device; the first call opens it, as [`Gpu::with_options`].
    ///
    /// # Errors
    /// As [`Gpu::with_options`]; later calls return the error of the first.
    pub fn get(&self) -> Result<&Gpu> {
        self.opened.get_or_init(|| Gpu::with_options(self.options.clone())).as_ref().map_err(Clone::clone)
    }

    /// The device, if it is open.
    pub fn opened(&self) -> Option<&Gpu> {
        self.opened.get()?.as_ref().ok()
    }
}

/// A device that is open.
impl From<Gpu> for LazyGpu {
    fn from(gpu: Gpu) -> Self {
        Self { options: GpuOptions::default(), opened: Arc::new(OnceLock::from(Ok(gpu))) }
    }
}
