//! Generated signals in device memory, of any length.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::cpu;
use trisolve::filter::{Coefficients, DeviceSignals, Direction, Shape};
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::{Real, Result};

/// The most rows that are made on the host; longer vectors repeat them.
const TILE: usize = 1 << 22;

/// Inputs within (-1, 1), and room for the outputs.
#[derive(Debug)]
pub struct FilterSample<T> {
    tile: Vec<T>,
    x: DeviceVector<T>,
    y: DeviceVector<T>,
}

impl<T: Real> FilterSample<T> {
    /// Vectors of `len` entries each, to be read as sequences of any layout.
    ///
    /// # Errors
    /// [`Error::Limit`](trisolve::Error::Limit), [`Error::OutOfMemory`](trisolve::Error::OutOfMemory),
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn new(gpu: &Gpu, len: usize, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let tile: Vec<_> = (0..len.min(TILE)).map(|_| T::from_f64(random.random_range(-1.0..1.0))).collect();
        let x = DeviceVector::repeated(gpu, "x", &tile, len)?;
        Ok(Self { x, y: DeviceVector::new(gpu, "y", len)?, tile })
    }

    /// To bind, from state 0.
    pub fn signals(&self) -> DeviceSignals<'_, T> {
        DeviceSignals { y: Some(self.y.as_slice()), ..DeviceSignals::in_place(self.x.as_slice()) }
    }

    /// Forgets the outputs: y = 0.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn forget_solution(&self, gpu: &Gpu) -> Result<()> {
        self.y.clear(gpu)
    }

    /// [`cpu::filter_residual`] of the outputs.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](trisolve::Error::OutOfMemory), [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn residual(&self, gpu: &Gpu, shape: &Shape, direction: Direction, coefficients: &Coefficients) -> Result<f64> {
        let y = self.y.read(gpu)?;
        let sequences = (0..shape.batch).map(|system| {
            let (y, tile) = (&y, &self.tile);
            let numbers = move |step| {
                let row = if direction == Direction::Forward { step } else { shape.n - 1 - step };
                let at = shape.matrix_index(system, row);
                [tile[at % tile.len()], y[at]].map(T::to_f64)
            };
            (vec![], (0..shape.n).map(numbers))
        });
        Ok(cpu::filter_residual(coefficients.b(), coefficients.a(), sequences))
    }
}
