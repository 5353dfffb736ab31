//! Solves from and to host slices.

use std::time::Duration;

use super::options::{Algorithm, Diag};
use super::plan::TriangularPlan;
use super::shape::Shape;
use super::system::DeviceSystem;
use crate::cpu;
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, PassTimer};
use crate::real::Real;

/// A solution with what is known of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The unknowns, laid out as `rhs`; NaN between them.
    pub x: Vec<T>,
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's.
    pub seconds: f64,
}

impl<T: Real> TriangularPlan<T> {
    /// Solves systems in host memory: uploads, solves, reads back.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::ZeroDiagonal`], [`Error::NonFiniteInput`], [`Error::Overflow`],
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn solve(&self, matrix: &[T], rhs: &[T]) -> Result<Vec<T>> {
        self.solve_reported(matrix, rhs).map(|solution| solution.x)
    }

    /// As [`TriangularPlan::solve`], with the time.
    ///
    /// # Errors
    /// As [`TriangularPlan::solve`].
    pub fn solve_reported(&self, matrix: &[T], rhs: &[T]) -> Result<Solution<T>> {
        let Self { gpu, shape, algorithm, .. } = self;
        let lens = [("matrix", shape.matrix_len(), matrix.len()), ("rhs", shape.vector_len(), rhs.len())];
        for (vector, needed, found) in lens {
            if needed != Some(found) {
                let expected = needed.unwrap_or(usize::MAX).to_string();
                return Err(Error::Length { vector, expected, found });
            }
        }
        if shape.n == 0 {
            return Ok(Solution { x: vec![], algorithm: *algorithm, seconds: 0.0 });
        }
        self.check_diagonal(matrix)?;
        // Room for the whole units that kernels load.
        let on_device = DeviceVector::new(gpu, "matrix", matrix.len().next_multiple_of(4))?;
        on_device.write(gpu, 0, matrix)?;
        let right = DeviceVector::from_slice(gpu, "rhs", rhs)?;
        let x = DeviceVector::from_slice(gpu, "x", &vec![T::from_f64(f64::NAN); rhs.len()])?;
        let system =
            DeviceSystem { matrix: on_device.slice(0, matrix.len()), rhs: right.as_slice(), x: Some(x.as_slice()) };
        let bound = self.bind(&system)?;
        // Once untimed: the first run of a kernel may still be compiling.
        let samples = PassTimer::new(gpu)?.measure(Duration::from_millis(1), 1, |pass| bound.record(pass))?;
        let x = x.read(gpu)?;
        if let Some((system, row)) = bound.read_status()?.non_finite_result {
            return Err(self.explain(matrix, rhs, system, row));
        }
        Ok(Solution { x, algorithm: *algorithm, seconds: samples.median() })
    }

    /// The diagonal's first entry that is zero or not finite.
    fn check_diagonal(&self, matrix: &[T]) -> Result<()> {
        let shape = &self.shape;
        if self.options.diag == Diag::Unit {
            return Ok(());
        }
        let matrices = if shape.matrix_stride == 0 { 1 } else { shape.batch };
        for system in 0..matrices {
            for row in 0..shape.n {
                let value = matrix[shape.matrix_index(system, row, row)];
                if !value.is_finite() {
                    return Err(Error::NonFiniteInput { vector: "the diagonal", system, row });
                }
                if value == T::ZERO {
                    return Err(Error::ZeroDiagonal { system, row });
                }
            }
        }
        Ok(())
    }

    /// Why a system's unknowns are not finite.
    fn explain(&self, matrix: &[T], rhs: &[T], system: usize, row: usize) -> Error {
        let Shape { n, columns, .. } = self.shape;
        let triangle = cpu::Triangle::of(&self.options, &self.shape, matrix, system);
        for row in 0..n {
            if (0..columns).any(|column| !rhs[self.shape.vector_index(system, column, row)].is_finite()) {
                return Error::NonFiniteInput { vector: "rhs", system, row };
            }
            if triangle.row(row).any(|(_, value)| !value.is_finite()) {
                return Error::NonFiniteInput { vector: "the matrix", system, row };
            }
        }
        Error::Overflow { system, row, precision: T::PRECISION }
    }
}
