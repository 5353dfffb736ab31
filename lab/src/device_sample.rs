//! A generated system in device memory, of any length.

use super::systems::{Entries, tiled};
use super::tiles::TILE;
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::internals::tridiagonal::form_len;
use trisolve::tridiagonal::{DeviceSystem, Forms, Shape, Structure};
use trisolve::{Real, Result};

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
    /// Vectors of `len` entries each, for systems whose neighbouring rows lie `element_stride` entries apart; the matrix's vectors have
    /// these forms.
    ///
    /// # Errors
    /// [`Error::Limit`](trisolve::Error::Limit), [`Error::OutOfMemory`](trisolve::Error::OutOfMemory),
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn new(
        gpu: &Gpu,
        entries: Entries,
        (structure, forms): (Structure, Forms),
        len: usize,
        element_stride: usize,
        seed: u64,
    ) -> Result<Self> {
        let mut tile = tiled::<T>(entries, len.clamp(2, TILE), element_stride, seed);
        if entries == Entries::Dominant {
            tile.dominate(structure);
        }
        let fill = |label, tile: &[T], len| DeviceVector::repeated(gpu, label, tile, len);
        let of = |form| form_len(form, &Shape::single(len)).unwrap_or(usize::MAX);
        // A number that dominates every row, whichever entries its vectors repeat.
        if entries == Entries::Dominant && forms != Forms::default() {
            tile.diag.fill(T::from_f64(2.5));
        }
        Ok(Self {
            lower: fill("lower", &tile.lower, of(forms.lower))?,
            diag: fill("diag", &tile.diag, of(forms.diag))?,
            upper: fill("upper", &tile.upper, of(forms.upper))?,
            rhs: fill("rhs", &tile.rhs, len)?,
            x: DeviceVector::new(gpu, "x", len)?,
        })
    }

    /// The system, to bind.
    pub fn system(&self) -> DeviceSystem<'_, T> {
        DeviceSystem {
            lower: self.lower.as_slice(),
            diag: self.diag.as_slice(),
            upper: self.upper.as_slice(),
            rhs: self.rhs.as_slice(),
            x: Some(self.x.as_slice()),
        }
    }

    /// Sets x = 0.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn forget_solution(&self, gpu: &Gpu) -> Result<()> {
        self.x.clear(gpu)
    }
}
