//! The caller's vectors, and the kernels' access to them.

use super::shape::Shape;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, Gpu};
use crate::precision::Precision;
use crate::real::{Real, Stored};

/// Placement of rows, which determines their loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RowAccess {
    /// At any stride.
    #[default]
    Scalar,
    /// Adjacent rows at any offset. Tridiagonal kernels load whole vectors and shift them; one pass counts chunks from the first unit.
    Shifted,
    /// Adjacent rows; the first row of every problem lies at a multiple of four: four rows per load.
    Vector,
}

impl RowAccess {
    /// The best access for a shape.
    pub fn of(shape: &Shape) -> Self {
        if shape.rows_aligned_to(4) {
            Self::Vector
        } else if shape.rows_side_by_side() {
            Self::Shifted
        } else {
            Self::Scalar
        }
    }

    /// Most rows before a sequence in its first unit of 16 bytes.
    pub fn most_lead(self, precision: Precision) -> u32 {
        if self == Self::Shifted { 16 / precision.bytes() as u32 - 1 } else { 0 }
    }
}

/// A range of device memory, and the number of its entries in use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vector<'a, T> {
    pub name: &'static str,
    pub slice: DeviceSlice<'a, T>,
    pub len: usize,
    /// Read or written row by row, and so in whole vectors if rows are.
    pub in_rows: bool,
}

impl<'a, T: Stored> Vector<'a, T> {
    pub fn check(&self, gpu: &Gpu) -> Result<()> {
        let &Self { name: vector, slice, len, .. } = self;
        let alignment = u64::from(gpu.capabilities().limits.min_storage_buffer_offset_alignment);
        if slice.len < len {
            return Err(Error::Length { vector, expected: format!("at least {len}"), found: slice.len });
        }
        if slice.end() > slice.buffer.size() {
            return Err(Error::BufferTooSmall { vector, end: slice.end(), size: slice.buffer.size() });
        }
        if !slice.offset.is_multiple_of(alignment) {
            return Err(Error::Misaligned { vector, offset: slice.offset, alignment });
        }
        if !slice.buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
            return Err(Error::BufferUsage { vector, usage: "BufferUsages::STORAGE" });
        }
        Ok(())
    }

    /// The part of the range in use.
    fn used(&self) -> DeviceSlice<'a, T> {
        DeviceSlice::new(self.slice.buffer, self.slice.offset, self.len)
    }

    /// Bytes, rounded up to a whole vector if `vector`.
    fn bytes(&self, vector: bool) -> u64 {
        let bytes = self.len as u64 * T::BYTES;
        if vector && self.in_rows { bytes.next_multiple_of(4 * T::BYTES) } else { bytes }
    }

    pub fn binding(&self, vector: bool) -> wgpu::BufferBinding<'a> {
        let size = wgpu::BufferSize::new(self.bytes(vector));
        wgpu::BufferBinding { buffer: self.slice.buffer, offset: self.slice.offset, size }
    }
}

/// All vectors of the caller that a solve reads and writes.
pub(crate) struct Vectors<'a, T> {
    pub inputs: Vec<Vector<'a, T>>,
    pub output: Vector<'a, T>,
    /// The input that the output replaces.
    pub in_place: Option<&'static str>,
}

impl<T: Real> Vectors<'_, T> {
    /// Checks that the ranges exist, and that the output overlaps no input except the one that it replaces.
    pub fn check(&self, gpu: &Gpu) -> Result<()> {
        for vector in self.inputs.iter().chain(self.in_place.is_none().then_some(&self.output)) {
            vector.check(gpu)?;
        }
        for input in self.inputs.iter().filter(|input| self.in_place != Some(input.name)) {
            if input.used().overlaps(&self.output.used()) {
                return Err(Error::Overlap { first: input.name, second: self.output.name });
            }
        }
        Ok(())
    }

    /// Checks that a vector written beside the output exists, and overlaps no other one. It may replace only an input that is not read row
    /// by row, and only from the same first byte.
    pub fn check_beside(&self, gpu: &Gpu, written: &Vector<'_, T>) -> Result<()> {
        written.check(gpu)?;
        let replaced = |input: &&Vector<'_, T>| !input.in_rows && input.slice.offset == written.slice.offset;
        for other in self.inputs.iter().filter(|input| !replaced(input)).chain([&self.output]) {
            if other.used().overlaps(&written.used()) {
                return Err(Error::Overlap { first: other.name, second: written.name });
            }
        }
        Ok(())
    }

    /// The access to rows of a shape. For whole vectors, the last one must lie in its buffer.
    pub fn access(&self, gpu: &Gpu, shape: &Shape) -> RowAccess {
        let limit = gpu.capabilities().limits.max_storage_buffer_binding_size;
        let fits = self.inputs.iter().chain([&self.output]).all(|vector| {
            let bytes = vector.bytes(true);
            bytes <= limit && vector.slice.offset + bytes <= vector.slice.buffer.size()
        });
        if fits { RowAccess::of(shape) } else { RowAccess::Scalar }
    }

    /// Whether inputs share a buffer with a written vector: then wgpu needs all inputs writable.
    pub fn writable_inputs(&self, beside: &[Vector<'_, T>]) -> bool {
        let written: Vec<_> = beside.iter().chain([&self.output]).map(|written| written.slice.buffer).collect();
        self.inputs.iter().any(|input| written.contains(&input.slice.buffer))
    }
}
