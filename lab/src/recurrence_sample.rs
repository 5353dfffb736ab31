//! Generated recurrences in device memory, of any length.

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::formulas::{SampleFormula, sample_formulas};
use super::groups::largest_residual;
use super::tiles::uniform_tile;
use trisolve::cpu;
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::recurrence::{DeviceCoefficient, DeviceRecurrence, Direction, Formulas, Shape};
use trisolve::{Real, Result};

/// The origin of s; t is a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleFactor {
    /// A vector.
    Vector,
    /// One number for all.
    Constant,
    /// A formula that reads no vector.
    Computed(SampleFormula),
}

impl SampleFactor {
    /// The formulas of the plan.
    pub fn formulas(self) -> Formulas {
        match self {
            Self::Computed(formula) => sample_formulas([Some(formula), None]),
            Self::Vector | Self::Constant => Formulas::new(),
        }
    }
}

/// Coefficients in (-1, 1), and room for the values.
#[derive(Debug)]
pub struct RecurrenceSample<T> {
    tiles: [Vec<T>; 2],
    s: DeviceVector<T>,
    t: DeviceVector<T>,
    w: DeviceVector<T>,
}

impl<T: Real> RecurrenceSample<T> {
    /// Vectors of `len` entries each, for sequences of any layout.
    ///
    /// # Errors
    /// [`Error::Limit`](trisolve::Error::Limit), [`Error::OutOfMemory`](trisolve::Error::OutOfMemory),
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn new(gpu: &Gpu, len: usize, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let tiles = [(); 2].map(|()| uniform_tile::<T>(len, -1.0..1.0, &mut random));
        let [s, t] = [&tiles[0], &tiles[1]].map(|tile| DeviceVector::repeated(gpu, "a coefficient", tile, len));
        Ok(Self { s: s?, t: t?, w: DeviceVector::new(gpu, "w", len)?, tiles })
    }

    fn constant() -> T {
        T::from_f64(0.75)
    }

    /// The recurrence, to bind.
    pub fn recurrence(&self, factor: SampleFactor) -> DeviceRecurrence<'_, T> {
        DeviceRecurrence {
            s: match factor {
                SampleFactor::Vector => DeviceCoefficient::Each(self.s.as_slice()),
                SampleFactor::Constant => DeviceCoefficient::Constant(Self::constant()),
                SampleFactor::Computed(_) => DeviceCoefficient::Computed(&[]),
            },
            t: DeviceCoefficient::Each(self.t.as_slice()),
            initial: DeviceCoefficient::Constant(T::ZERO),
            w: Some(self.w.as_slice()),
        }
    }

    /// Sets w = 0.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn forget_solution(&self, gpu: &Gpu) -> Result<()> {
        self.w.clear(gpu)
    }

    /// ||w\[i\] - s\[i\] w\[i-1\] - t\[i\]|| / ||w|| of the current values, the largest of groups of sequences.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](trisolve::Error::OutOfMemory), [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn residual(&self, gpu: &Gpu, shape: &Shape, direction: Direction, factor: SampleFactor) -> Result<f64> {
        let w = self.w.read(gpu)?;
        let [s, t] = &self.tiles;
        let sequence = |system| {
            let w = &w;
            let computed = match factor {
                SampleFactor::Computed(formula) => formula.values(0, shape.n, system, &[]),
                SampleFactor::Vector | SampleFactor::Constant => vec![],
            };
            let numbers = move |step| {
                let row = if direction == Direction::Forward { step } else { shape.n - 1 - step };
                let at = shape.matrix_index(system, row);
                let factor = match factor {
                    SampleFactor::Vector => s[at % s.len()],
                    SampleFactor::Constant => Self::constant(),
                    SampleFactor::Computed(_) => T::from_f64(computed[row]),
                };
                [factor, t[at % t.len()], w[at]].map(T::to_f64)
            };
            (0.0, (0..shape.n).map(numbers))
        };
        Ok(largest_residual(0..shape.batch, |group| cpu::recurrence_residual(group.map(sequence))))
    }
}
