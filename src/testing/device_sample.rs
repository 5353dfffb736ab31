//! A generated system in device memory, of any length.

use super::systems::{Entries, tiled};
use crate::error::Result;
use crate::gpu::{DeviceVector, Gpu};
use crate::real::Real;
use crate::tridiagonal::DeviceSystem;

/// The most rows that are made on the host; longer vectors repeat them.
const TILE: usize = 1 << 22;

/// A system, and room for its solution.
#[derive(Debug)]
pub struct DeviceSample<T> {
    lower: DeviceVector<T>,
    diag: DeviceVector<T>,
    upper: DeviceVector<T>,
    rhs: DeviceVector<T>,
    x: DeviceVector<T>,
}

impl<T: Real> DeviceSample<T> {
    /// Vectors of `len` entries each, to be read as systems of any layout.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub fn new(gpu: &Gpu, entries: Entries, len: usize, seed: u64) -> Result<Self> {
        let tile = tiled::<T>(entries, len.clamp(2, TILE), seed);
        let fill = |label, tile: &[T]| DeviceVector::repeated(gpu, label, tile, len);
        Ok(Self {
            lower: fill("lower", &tile.lower)?,
            diag: fill("diag", &tile.diag)?,
            upper: fill("upper", &tile.upper)?,
            rhs: fill("rhs", &tile.rhs)?,
            x: DeviceVector::new(gpu, "x", len)?,
        })
    }

    /// To bind.
    pub fn system(&self) -> DeviceSystem<'_, T> {
        DeviceSystem {
            lower: self.lower.as_slice(),
            diag: self.diag.as_slice(),
            upper: self.upper.as_slice(),
            rhs: self.rhs.as_slice(),
            x: Some(self.x.as_slice()),
        }
    }

    /// Forgets the solution: x = 0.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub fn forget_solution(&self, gpu: &Gpu) -> Result<()> {
        self.x.clear(gpu)
    }
}
