//! The vectors of a batch of systems, on the host and on the device.

use super::options::Diagonal;
use crate::error::{Error, Result};
use crate::gpu::DeviceSlice;
use crate::plan::{Shape, Vector, Vectors};
use crate::real::Real;

/// The matrices of a batch, in host memory, laid out as the plan's [`Shape`] says.
///
/// Row i of a system reads `lower[i] x[i-1] + diag[i] x[i] + upper[i] x[i+1] = rhs[i]`.
/// `lower` of the first row and `upper` of the last are never used, whatever they hold. For a
/// single system, `lower` and `upper` may leave them out and have n-1 entries.
#[derive(Debug, Clone, Copy)]
pub struct System<'a, T> {
    /// Entries left of the diagonal.
    pub lower: &'a [T],
    /// The diagonal or its excess, as `kind` says.
    pub diag: &'a [T],
    /// Entries right of the diagonal.
    pub upper: &'a [T],
    /// What `diag` holds.
    pub kind: Diagonal,
}

impl<'a, T: Real> System<'a, T> {
    /// Matrices given by their diagonals.
    pub fn new(lower: &'a [T], diag: &'a [T], upper: &'a [T]) -> Self {
        Self { lower, diag, upper, kind: Diagonal::Value }
    }

    /// Matrices given by their off-diagonals and excess: diag = |lower| + |upper| + excess.
    pub fn with_excess(lower: &'a [T], excess: &'a [T], upper: &'a [T]) -> Self {
        Self { lower, diag: excess, upper, kind: Diagonal::Excess }
    }

    /// Whether an off-diagonal leaves its unused corner out.
    pub(crate) fn without_corner(shape: &Shape, vector: &[T]) -> bool {
        shape.batch == 1 && shape.layout.element_stride == 1 && vector.len() + 1 == shape.n
    }

    pub(crate) fn check_lengths(&self, shape: &Shape, rhs: &[T]) -> Result<()> {
        let overflow = || shape.past_addresses();
        let matrix = shape.matrix_len().ok_or_else(overflow)?;
        let right = shape.rhs_len().ok_or_else(overflow)?;
        let exact = |vector, found: usize, expected: usize| {
            if found == expected {
                return Ok(());
            }
            Err(Error::Length { vector, expected: expected.to_string(), found })
        };
        exact("diag", self.diag.len(), matrix)?;
        exact("rhs", rhs.len(), right)?;
        for (vector, entries) in [("lower", self.lower), ("upper", self.upper)] {
            if entries.len() != matrix && !Self::without_corner(shape, entries) {
                let expected = match shape.batch {
                    1 => format!("{matrix}, or {} without the unused corner", matrix - 1),
                    _ => matrix.to_string(),
                };
                return Err(Error::Length { vector, expected, found: entries.len() });
            }
        }
        Ok(())
    }

    /// The three diagonals of one system in f64, n entries each, zeros at the corners, the diagonal by
    /// its value.
    pub(crate) fn wide_matrix(&self, shape: &Shape, system: usize) -> [Vec<f64>; 3] {
        let (lower, diag, upper) = self.diagonals(shape, system);
        let [lower, mut diag, upper] = [lower, diag, upper].map(|v| v.iter().map(|v| v.to_f64()).collect::<Vec<_>>());
        if self.kind == Diagonal::Excess {
            for (diag, (lower, upper)) in diag.iter_mut().zip(lower.iter().zip(&upper)) {
                *diag += lower.abs() + upper.abs();
            }
        }
        [lower, diag, upper]
    }

    /// [`Error::Options`] for an excess that makes a diagonal entry negative, which the kernels take to be positive.
    pub(crate) fn check_diagonal(&self, shape: &Shape, system: usize) -> Result<()> {
        let [_, diag, _] = self.wide_matrix(shape, system);
        match diag.iter().position(|diag| *diag < 0.0) {
            Some(row) if self.kind == Diagonal::Excess => Err(Error::Options(format!(
                "the excess makes the diagonal of system {system} negative in row {row}: give the diagonal's values, \
                 or the negative of that row"
            ))),
            _ => Ok(()),
        }
    }

    /// The three diagonals of one system, n entries each, zeros at the corners.
    pub(crate) fn diagonals(&self, shape: &Shape, system: usize) -> (Vec<T>, Vec<T>, Vec<T>) {
        let mut all = (Vec::with_capacity(shape.n), Vec::with_capacity(shape.n), Vec::with_capacity(shape.n));
        for row in 0..shape.n {
            let (lower, diag, upper) = self.row(shape, system, row);
            all.0.push(lower);
            all.1.push(diag);
            all.2.push(upper);
        }
        all
    }

    /// rhs - A x of all systems, computed in f64 and rounded; zeros where no row lies. Of a diagonal given by its values.
    pub(crate) fn residual(&self, shape: &Shape, rhs: &[T], x: &[T]) -> Vec<T> {
        let mut residual = vec![T::ZERO; rhs.len()];
        for system in 0..shape.batch {
            for row in 0..shape.n {
                let (lower, diag, upper) = self.row(shape, system, row);
                for column in 0..shape.columns {
                    let at = |row: usize| shape.rhs_index(system, column, row);
                    let mut left = rhs[at(row)].to_f64() - diag.to_f64() * x[at(row)].to_f64();
                    if row > 0 {
                        left -= lower.to_f64() * x[at(row - 1)].to_f64();
                    }
                    if row + 1 < shape.n {
                        left -= upper.to_f64() * x[at(row + 1)].to_f64();
                    }
                    residual[at(row)] = T::from_f64(left);
                }
            }
        }
        residual
    }

    /// (lower, diag, upper) of a row, zeros at the corners, whatever leaves them out.
    pub(crate) fn row(&self, shape: &Shape, system: usize, row: usize) -> (T, T, T) {
        let at = shape.matrix_index(system, row);
        let lower = match row {
            0 => T::ZERO,
            _ if Self::without_corner(shape, self.lower) => self.lower[row - 1],
            _ => self.lower[at],
        };
        let upper = if row + 1 == shape.n { T::ZERO } else { self.upper[at] };
        (lower, self.diag[at], upper)
    }
}

/// Everything a solve reads and writes, in device memory.
///
/// The ranges hold what the plan's [`Shape`] spans: rows of `lower`, `diag`, `upper` by
/// [`Shape::matrix_index`], of `rhs` and `x` by [`Shape::rhs_index`]. They may be ranges of one
/// buffer; x may share bytes with none of the others.
#[derive(Debug, Clone, Copy)]
pub struct DeviceSystem<'a, T> {
    /// Entries left of the diagonal; that of a first row is not used.
    pub lower: DeviceSlice<'a, T>,
    /// The diagonal or its excess, as the plan's options say.
    pub diag: DeviceSlice<'a, T>,
    /// Entries right of the diagonal; that of a last row is not used.
    pub upper: DeviceSlice<'a, T>,
    /// Right-hand sides.
    pub rhs: DeviceSlice<'a, T>,
    /// Where the unknowns go; `None` puts them over `rhs`.
    pub x: Option<DeviceSlice<'a, T>>,
}

impl<'a, T: Real> DeviceSystem<'a, T> {
    pub(crate) fn inputs(&self) -> [(&'static str, DeviceSlice<'a, T>); 4] {
        [("lower", self.lower), ("diag", self.diag), ("upper", self.upper), ("rhs", self.rhs)]
    }

    /// What a solve of a shape, which the plan has checked, uses of them.
    pub(crate) fn vectors(&self, shape: &Shape) -> Vectors<'a, T> {
        let matrix = shape.matrix_len().unwrap_or(usize::MAX);
        let right = shape.rhs_len().unwrap_or(usize::MAX);
        let inputs = self.inputs().map(|(name, slice)| {
            let len = if name == "rhs" { right } else { matrix };
            Vector { name, slice, len, in_rows: true }
        });
        let name = if self.x.is_some() { "x" } else { "rhs (in place)" };
        Vectors {
            inputs: inputs.to_vec(),
            output: Vector { name, slice: self.x.unwrap_or(self.rhs), len: right, in_rows: true },
            in_place: self.x.is_none().then_some("rhs"),
        }
    }
}
