//! Systems in device memory.

use super::shape::Shape;
use crate::gpu::DeviceSlice;
use crate::plan::{Starts, Vector, Vectors};
use crate::real::Real;

/// Matrices and right-hand sides in the caller's buffers, laid out as the plan's [`Shape`] says.
#[derive(Debug, Clone, Copy)]
pub struct DeviceSystem<'a, T> {
    /// The matrices.
    pub matrix: DeviceSlice<'a, T>,
    /// The right-hand sides.
    pub rhs: DeviceSlice<'a, T>,
    /// Where the solution goes; None puts it over `rhs`.
    pub x: Option<DeviceSlice<'a, T>>,
}

impl<'a, T: Real> DeviceSystem<'a, T> {
    pub(super) fn vectors(&self, shape: &Shape) -> Vectors<'a, T> {
        // The plan has checked that both lengths exist.
        let matrix_len = shape.matrix_len().unwrap_or(usize::MAX);
        let len = shape.vector_len().unwrap_or(usize::MAX);
        let input = |name, slice, len, in_rows| Vector { name, slice, len, in_rows };
        let (x, name) = self.x.map_or((self.rhs, "rhs (in place)"), |x| (x, "x"));
        Vectors {
            inputs: vec![input("matrix", self.matrix, matrix_len, true), input("rhs", self.rhs, len, false)],
            output: input(name, x, len, false),
            in_place: self.x.is_none().then_some("rhs"),
            starts: Starts::Aligned,
            textures: vec![],
        }
    }
}
