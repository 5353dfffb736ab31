//! The caller's vectors, and how kernels reach them.

use super::shape::Shape;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, Gpu};
use crate::real::{Real, Stored};

/// How rows lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RowAccess {
    /// At any stride.
    #[default]
    Scalar,
    /// Side by side: whole vectors, shifted into place.
    Shifted,
    /// Side by side, every problem's first at a multiple of four: four rows per load.
    Vector,
}

impl RowAccess {
    /// The best for a shape.
    pub fn of(shape: &Shape) -> Self {
        if shape.rows_aligned_to(4) {
            Self::Vector
        } else if shape.rows_side_by_side() {
            Self::Shifted
        } else {
            Self::Scalar
        }
    }
}

/// A range of device memory, and how many entries of it are used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vector<'a, T> {
    pub name: &'static str,
    pub slice: DeviceSlice<'a, T>,
    pub len: usize,
    /// Read or written row by row, and so in whole vectors where rows are.
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

    /// No more than is used.
    fn used(&self) -> DeviceSlice<'a, T> {
        DeviceSlice::new(self.slice.buffer, self.slice.offset, self.len)
    }

    /// Bytes, rounded up to a whole vector where that is asked.
    fn bytes(&self, vector: bool) -> u64 {
        let bytes = self.len as u64 * T::BYTES;
        if vector && self.in_rows { bytes.next_multiple_of(4 * T::BYTES) } else { bytes }
    }

    pub fn binding(&self, vector: bool) -> wgpu::BufferBinding<'a> {
        let size = wgpu::BufferSize::new(self.bytes(vector));
        wgpu::BufferBinding { buffer: self.slice.buffer, offset: self.slice.offset, size }
    }
}

/// All that a solve reads and writes of the caller's.
pub(crate) struct Vectors<'a, T> {
    pub inputs: Vec<Vector<'a, T>>,
    pub output: Vector<'a, T>,
    /// The input that the output lies over.
    pub in_place: Option<&'static str>,
}

impl<T: Real> Vectors<'_, T> {
    /// Ranges that are there, and the output apart from all inputs but the one that it may lie over.
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

    /// What is written beside the output is there, and apart from all else but what it may replace: an input that
    /// is not read row by row, and begins where it does.
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

    /// How rows of a shape can be loaded: in whole vectors, the last one has to lie in its buffer.
    pub fn access(&self, gpu: &Gpu, shape: &Shape) -> RowAccess {
        let limit = gpu.capabilities().limits.max_storage_buffer_binding_size;
        let fits = self.inputs.iter().chain([&self.output]).all(|vector| {
            let bytes = vector.bytes(true);
            bytes <= limit && vector.slice.offset + bytes <= vector.slice.buffer.size()
        });
        if fits { RowAccess::of(shape) } else { RowAccess::Scalar }
    }

    /// Inputs share a buffer with what is written, so that wgpu wants them all writable.
    pub fn writable_inputs(&self, beside: &[Vector<'_, T>]) -> bool {
        let written: Vec<_> = beside.iter().chain([&self.output]).map(|written| written.slice.buffer).collect();
        self.inputs.iter().any(|input| written.contains(&input.slice.buffer))
    }
}
