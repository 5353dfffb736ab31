//! Generated signals in device memory, of any length.

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::filter_designs::product;
use super::tiles::uniform_tile;
use trisolve::cpu;
use trisolve::filter::{Cascade, DeviceSignals, Direction, Shape};
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::{Real, Result};

/// Inputs in (-1, 1), and room for the outputs.
#[derive(Debug)]
pub struct FilterSample<T> {
    tile: Vec<T>,
    x: DeviceVector<T>,
    y: DeviceVector<T>,
}

impl<T: Real> FilterSample<T> {
    /// Vectors of `len` entries each, for sequences of any layout.
    ///
    /// # Errors
    /// [`Error::Limit`](trisolve::Error::Limit), [`Error::OutOfMemory`](trisolve::Error::OutOfMemory),
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn new(gpu: &Gpu, len: usize, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let tile = uniform_tile::<T>(len, -1.0..1.0, &mut random);
        let x = DeviceVector::repeated(gpu, "x", &tile, len)?;
        Ok(Self { x, y: DeviceVector::new(gpu, "y", len)?, tile })
    }

    /// The signals with initial states 0, to bind.
    pub fn signals(&self) -> DeviceSignals<'_, T> {
        DeviceSignals { y: Some(self.y.as_slice()), ..DeviceSignals::in_place(self.x.as_slice()) }
    }

    /// Sets y = 0.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn forget_solution(&self, gpu: &Gpu) -> Result<()> {
        self.y.clear(gpu)
    }

    /// [`cpu::filter_residual`] of the outputs, for the product of a cascade's sections.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](trisolve::Error::OutOfMemory), [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn residual(&self, gpu: &Gpu, shape: &Shape, direction: Direction, filter: &Cascade) -> Result<f64> {
        let one = (vec![1.0], vec![1.0]);
        let (b, a) =
            filter.sections().iter().fold(one, |(b, a), section| (product(&b, section.b()), product(&a, section.a())));
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
        Ok(cpu::filter_residual(&b, &a, sequences))
    }
}
