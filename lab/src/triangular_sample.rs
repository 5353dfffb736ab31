//! Generated triangular matrices in device memory, of any size.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::host_triangular::allowed;
use super::tiles::TILE;
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::internals::cpu::worst;
use trisolve::internals::triangular::{across, reversed};
use trisolve::triangular::{DeviceSystem, Diag, Options, Shape, TracedRow, TriangularPlan};
use trisolve::{Error, Real, Result};

/// Systems in device memory, one after the other: the off-diagonal entries of a row sum to about 1 in size, the diagonal lies in
/// (1, 2), the right-hand side in (-1, 1).
#[derive(Debug)]
pub struct TriangularSample<T> {
    shape: Shape,
    tile: Vec<T>,
    right: Vec<T>,
    matrix: DeviceVector<T>,
    rhs: DeviceVector<T>,
    x: DeviceVector<T>,
}

impl<T: Real> TriangularSample<T> {
    /// `batch` systems of n rows, each with `columns` right-hand sides.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn new(gpu: &Gpu, n: usize, batch: usize, columns: usize, seed: u64) -> Result<Self> {
        Self::of(gpu, Self::shape_of(n, batch, columns), seed)
    }

    /// The shape of [`TriangularSample::new`].
    pub fn shape_of(n: usize, batch: usize, columns: usize) -> Shape {
        // The distance between matrices is a multiple of the distance between diagonal entries.
        let gap = if batch > 1 { n } else { 0 };
        let shape = Shape { matrix_stride: n.saturating_mul(n).saturating_add(gap), ..Shape::batch(n, batch) };
        shape.with_columns(columns)
    }

    /// The systems of a shape. The distance between its matrices has to be a multiple of its leading dimension plus 1.
    ///
    /// # Errors
    /// As [`TriangularSample::new`].
    pub fn of(gpu: &Gpu, shape: Shape, seed: u64) -> Result<Self> {
        let n = shape.n;
        let mut random = SmallRng::seed_from_u64(seed);
        // The tile's length is a multiple of the distance between diagonal entries: its entries are always diagonal, or never.
        let distance = shape.leading + 1;
        let len = TILE.div_ceil(distance) * distance;
        let size = 1.0 / (n.max(1) as f64).sqrt();
        let tile: Vec<_> = (0..len)
            .map(|at| match at % distance {
                0 => random.random_range(1.0..2.0),
                _ => random.random_range(-size..size),
            })
            .map(T::from_f64)
            .collect();
        let too_large = || Error::Shape("a matrix that spans more than memory".into());
        let right: Vec<_> = (0..shape.vector_len().ok_or_else(too_large)?)
            .map(|_| T::from_f64(random.random_range(-1.0..1.0)))
            .collect();
        // Room for the full vectors that kernels load.
        let entries = shape.matrix_len().ok_or_else(too_large)?.next_multiple_of(4);
        Ok(Self {
            shape,
            matrix: DeviceVector::repeated(gpu, "matrix", &tile, entries)?,
            rhs: DeviceVector::from_slice(gpu, "rhs", &right)?,
            x: DeviceVector::new(gpu, "x", right.len())?,
            tile,
            right,
        })
    }

    /// The shape to plan for.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The system, to bind.
    pub fn system(&self) -> DeviceSystem<'_, T> {
        DeviceSystem { matrix: self.matrix.as_slice(), rhs: self.rhs.as_slice(), x: Some(self.x.as_slice()) }
    }

    /// Sets x = 0.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn forget_solution(&self, gpu: &Gpu) -> Result<()> {
        self.x.clear(gpu)
    }

    /// The solution.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn solution(&self, gpu: &Gpu) -> Result<Vec<T>> {
        self.x.read(gpu)
    }

    /// The componentwise backward error of the first right-hand sides of the first and the last system
    /// ([`cpu::triangular_backward_error`](trisolve::cpu::triangular_backward_error)), and the largest error that
    /// rounding can explain.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn backward_error(&self, gpu: &Gpu, options: &Options) -> Result<(f64, f64)> {
        let x: Vec<f64> = self.solution(gpu)?.iter().map(|value| value.to_f64()).collect();
        let mut systems = vec![0, self.shape.batch - 1];
        systems.dedup();
        let errors = systems.into_iter().map(|system| self.error_of(&x, system, options));
        Ok((worst(errors), allowed::<T>(self.shape.n)))
    }

    fn error_of(&self, x: &[f64], system: usize, options: &Options) -> f64 {
        let n = self.shape.n;
        let places = || (0..n).map(|row| self.shape.vector_index(system, 0, row));
        let x: Vec<f64> = places().map(|at| x[at]).collect();
        let mut residual: Vec<f64> = places().map(|at| self.right[at].to_f64()).collect();
        let mut size: Vec<f64> = residual.iter().map(|value| value.abs()).collect();
        let lower = reversed(options) == across(options);
        // The missing columns, or rows, are those of the identity.
        for row in self.shape.stored..n {
            residual[row] -= x[row];
            size[row] += x[row].abs();
        }
        // In the order of the entries in memory.
        for over in 0..self.shape.stored {
            let along = if lower { over..n } else { 0..over + 1 };
            let mut at = (self.shape.matrix_index(system, along.start, over)) % self.tile.len();
            let (mut sum, mut sum_size) = (0.0, 0.0);
            for along in along {
                let unit = along == over && options.diag == Diag::Unit;
                let entry = if unit { 1.0 } else { self.tile[at].to_f64() };
                at = if at + 1 == self.tile.len() { 0 } else { at + 1 };
                if across(options) {
                    let term = entry * x[along];
                    sum += term;
                    sum_size += term.abs();
                } else {
                    let term = entry * x[over];
                    residual[along] -= term;
                    size[along] += term.abs();
                }
            }
            if across(options) {
                residual[over] -= sum;
                size[over] += sum_size;
            }
        }
        worst(residual.iter().zip(&size).map(|(residual, size)| residual.abs() / size))
    }
}

/// A solve whose workgroups noted the order of their events.
#[derive(Debug, Clone)]
pub struct TracedSolve {
    /// The events per block row.
    pub events: Vec<TracedRow>,
    /// The componentwise backward error.
    pub error: f64,
    /// The largest error that rounding can explain.
    pub allowed: f64,
}

/// Traces the second solve of a plan of one system: in the first solve, the driver may still be loading the kernel.
///
/// # Errors
/// As [`TriangularSample::of`], [`TriangularPlan::bind`]; [`Error::Options`] for a plan of another algorithm than chained.
pub fn traced_solve<T: Real>(gpu: &Gpu, mut plan: TriangularPlan<T>, options: &Options) -> Result<TracedSolve> {
    plan.trace()?;
    let sample = TriangularSample::<T>::of(gpu, *plan.shape(), 7)?;
    let bound = plan.bind(&sample.system())?;
    let mut events = vec![];
    for _ in 0..2 {
        sample.forget_solution(gpu)?;
        bound.submit()?;
        events = plan.read_trace()?;
    }
    bound.read_status()?.check()?;
    let (error, allowed) = sample.backward_error(gpu, options)?;
    Ok(TracedSolve { events, error, allowed })
}
