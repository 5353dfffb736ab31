//! Generated Moebius recurrences in device memory, of any length.

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::tiles::uniform_tile;
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::internals::quotient;
use trisolve::recurrence::moebius::DeviceMoebius;
use trisolve::recurrence::{DeviceCoefficient, Direction, Shape};
use trisolve::{Real, Result};

/// The initial value of each sequence.
const INITIAL: f64 = 0.5;

/// Coefficients between 0.1 and 1, and room for the values.
#[derive(Debug)]
pub struct MoebiusSample<T> {
    tiles: [Vec<T>; 4],
    coefficients: [DeviceVector<T>; 4],
    w: DeviceVector<T>,
}

impl<T: Real> MoebiusSample<T> {
    /// Vectors of `len` entries each, for sequences of any layout.
    ///
    /// # Errors
    /// [`Error::Limit`](trisolve::Error::Limit), [`Error::OutOfMemory`](trisolve::Error::OutOfMemory),
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn new(gpu: &Gpu, len: usize, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let tiles = [(); 4].map(|()| uniform_tile::<T>(len, 0.1..1.0, &mut random));
        let vectors = tiles.each_ref().map(|tile| DeviceVector::repeated(gpu, "a coefficient", tile, len));
        let [a, b, c, d] = vectors;
        Ok(Self { tiles, coefficients: [a?, b?, c?, d?], w: DeviceVector::new(gpu, "w", len)? })
    }

    /// The recurrence, to bind.
    pub fn recurrence(&self) -> DeviceMoebius<'_, T> {
        let [a, b, c, d] = self.coefficients.each_ref().map(|vector| DeviceCoefficient::Each(vector.as_slice()));
        let initial = DeviceCoefficient::Constant(T::from_f64(INITIAL));
        DeviceMoebius { a, b, c, d, initial, w: Some(self.w.as_slice()) }
    }

    /// Sets w = 0.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn forget_solution(&self, gpu: &Gpu) -> Result<()> {
        self.w.clear(gpu)
    }

    /// ||w\[i\] - (a\[i\] w\[i-1\] + b\[i\]) / (c\[i\] w\[i-1\] + d\[i\])|| / ||w|| over all rows of the
    /// current values.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](trisolve::Error::OutOfMemory), [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn residual(&self, gpu: &Gpu, shape: &Shape, direction: Direction) -> Result<f64> {
        let w = self.w.read(gpu)?;
        let (mut off, mut size) = (0f64, 0f64);
        for system in 0..shape.batch {
            let mut before = INITIAL;
            for step in 0..shape.n {
                let row = if direction == Direction::Forward { step } else { shape.n - 1 - step };
                let at = shape.matrix_index(system, row);
                let [a, b, c, d] = self.tiles.each_ref().map(|tile| tile[at % tile.len()].to_f64());
                let here = w[at].to_f64();
                // The values lie between 0.1 and 10.
                off += (here - (a * before + b) / (c * before + d)).powi(2);
                size += here * here;
                before = here;
            }
        }
        Ok(quotient(off.sqrt(), size.sqrt()))
    }
}
