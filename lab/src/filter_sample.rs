//! Generated signals in device memory, of any length.

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::filter_designs::product;
use super::groups::{largest, largest_residual};
use super::tiles::uniform_tile;
use trisolve::cpu;
use trisolve::filter::{Bank, Cascade, DeviceSignals, Direction, Shape};
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

    /// The signals with initial states 0, to bind; of a bank of one signal, the first `rows` inputs.
    pub fn signals(&self, bank: &Bank, rows: usize) -> DeviceSignals<'_, T> {
        let x = if bank.shares_input() { self.x.slice(0, rows) } else { self.x.as_slice() };
        DeviceSignals { y: Some(self.y.as_slice()), ..DeviceSignals::in_place(x) }
    }

    /// Sets y = 0.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn forget_solution(&self, gpu: &Gpu) -> Result<()> {
        self.y.clear(gpu)
    }

    /// [`cpu::filter_residual`] of the outputs, for the product of a cascade's sections: the largest of groups of sequences.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](trisolve::Error::OutOfMemory), [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn residual(&self, gpu: &Gpu, shape: &Shape, direction: Direction, bank: &Bank) -> Result<f64> {
        let y = self.y.read(gpu)?;
        let sequence = |system: usize| {
            let (y, tile) = (&y, &self.tile);
            let numbers = move |step| {
                let row = if direction == Direction::Forward { step } else { shape.n - 1 - step };
                let at = shape.matrix_index(system, row);
                let input = bank.input_index(shape, system, row);
                [tile[input % tile.len()], y[at]].map(T::to_f64)
            };
            (vec![], (0..shape.n).map(numbers))
        };
        let each = shape.batch / bank.filters().len();
        let residual = |(index, filter): (usize, &Cascade)| {
            let one = (vec![1.0], vec![1.0]);
            let multiplied = filter.sections().iter();
            let (b, a) = multiplied.fold(one, |(b, a), section| (product(&b, section.b()), product(&a, section.a())));
            largest_residual(index * each..(index + 1) * each, |group| {
                cpu::filter_residual(&b, &a, group.map(sequence))
            })
        };
        Ok(bank.filters().iter().enumerate().map(residual).fold(0.0, largest))
    }
}
