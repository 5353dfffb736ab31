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

/// Bytes at whose multiples bindings begin.
fn alignment_of_bindings(gpu: &Gpu) -> u64 {
    gpu.capabilities().limits.min_storage_buffer_offset_alignment.into()
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
    pub fn check(&self, gpu: &Gpu, starts: Starts) -> Result<()> {
        let &Self { name: vector, slice, len, .. } = self;
        let alignment = match starts {
            Starts::Anywhere if self.in_rows => T::BYTES,
            _ => alignment_of_bindings(gpu),
        };
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

    /// Entries before it in its binding.
    pub fn entries_before(&self, gpu: &Gpu) -> u32 {
        // Less than an alignment.
        (self.bytes_before(gpu) / T::BYTES) as u32
    }

    fn bytes_before(&self, gpu: &Gpu) -> u64 {
        self.slice.offset % alignment_of_bindings(gpu)
    }

    /// Bytes of its binding, rounded up to a whole vector if `vector`.
    fn bytes(&self, gpu: &Gpu, vector: bool) -> u64 {
        let bytes = self.bytes_before(gpu) + self.len as u64 * T::BYTES;
        if vector && self.in_rows { bytes.next_multiple_of(4 * T::BYTES) } else { bytes }
    }

    /// From the last place before it at which a binding may begin.
    pub fn binding(&self, gpu: &Gpu, vector: bool) -> wgpu::BufferBinding<'a> {
        let size = wgpu::BufferSize::new(self.bytes(gpu, vector));
        wgpu::BufferBinding { buffer: self.slice.buffer, offset: self.slice.offset - self.bytes_before(gpu), size }
    }
}

/// Names of the vectors that formulas read, for messages.
const FORMULA_VECTORS: [&str; 4] = [
    "the formulas' first vector",
    "the formulas' second vector",
    "the formulas' third vector",
    "a vector of the formulas",
];

impl<'a, T> Vector<'a, T> {
    /// The vectors that formulas read.
    pub fn of_formulas(read: &[DeviceSlice<'a, T>]) -> impl Iterator<Item = Self> {
        read.iter().enumerate().map(|(at, &slice)| {
            let name = FORMULA_VECTORS[at.min(FORMULA_VECTORS.len() - 1)];
            // A formula always reads at least one entry.
            Self { name, slice, len: slice.len.max(1), in_rows: false }
        })
    }
}

/// Where vectors may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Starts {
    /// At multiples of the device's alignment of bindings.
    Aligned,
    /// Vectors in rows at any entry: kernels add offsets.
    Anywhere,
}

/// All vectors of the caller that a solve reads and writes.
pub(crate) struct Vectors<'a, T> {
    pub inputs: Vec<Vector<'a, T>>,
    pub output: Vector<'a, T>,
    /// The input that the output replaces.
    pub in_place: Option<&'static str>,
    pub starts: Starts,
    /// Textures that formulas read.
    pub textures: Vec<&'a wgpu::TextureView>,
}

impl<T: Real> Vectors<'_, T> {
    /// Checks that the ranges exist, and that the output overlaps no input except the one that it replaces.
    pub fn check(&self, gpu: &Gpu) -> Result<()> {
        for vector in self.inputs.iter().chain(self.in_place.is_none().then_some(&self.output)) {
            vector.check(gpu, self.starts)?;
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
        written.check(gpu, self.starts)?;
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
        let all = || self.inputs.iter().chain([&self.output]);
        let fits = all().all(|vector| {
            let bytes = vector.bytes(gpu, true);
            bytes <= limit && vector.slice.offset - vector.bytes_before(gpu) + bytes <= vector.slice.buffer.size()
        });
        let aligned = all().all(|vector| !vector.in_rows || vector.entries_before(gpu).is_multiple_of(4));
        match RowAccess::of(shape) {
            _ if !fits => RowAccess::Scalar,
            RowAccess::Vector if !aligned => RowAccess::Shifted,
            access => access,
        }
    }

    /// Whether a vector does not begin where its binding does.
    pub fn have_offsets(&self, gpu: &Gpu) -> bool {
        self.inputs.iter().chain([&self.output]).any(|vector| vector.entries_before(gpu) > 0)
    }

    /// Whether inputs share a buffer with a written vector: then wgpu needs all inputs writable.
    pub fn writable_inputs(&self, beside: &[Vector<'_, T>]) -> bool {
        let written: Vec<_> = beside.iter().chain([&self.output]).map(|written| written.slice.buffer).collect();
        self.inputs.iter().any(|input| written.contains(&input.slice.buffer))
    }
}
