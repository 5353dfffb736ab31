//! Typed device memory: the library's own vectors, and ranges of the caller's buffers.

use std::marker::PhantomData;
use std::time::Duration;

use super::context::Gpu;
use crate::error::{Error, Result, check_limit};
use crate::real::{Real, Stored};

/// Time until a device counts as lost. Drivers give up far earlier.
const PATIENCE: Duration = Duration::from_secs(600);

/// A vector in device memory.
#[derive(Debug, Clone)]
pub struct DeviceVector<T> {
    buffer: wgpu::Buffer,
    len: usize,
    marker: PhantomData<T>,
}

/// A range of a buffer, read as numbers.
#[derive(Debug)]
pub struct DeviceSlice<'a, T> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// In bytes.
    pub(crate) offset: u64,
    /// In numbers.
    pub(crate) len: usize,
    marker: PhantomData<T>,
}

impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DeviceSlice<'_, T> {}

impl<'a, T: Stored> DeviceSlice<'a, T> {
    /// `len` numbers from byte `offset` of the caller's buffer. A bind checks it: the buffer needs `BufferUsages::STORAGE`. For vectors of a
    /// tridiagonal system, `offset` must be a multiple of the size of T; for others, of the device's
    /// `min_storage_buffer_offset_alignment`. Solves are fastest if all vectors start at multiples of four numbers.
    pub fn new(buffer: &'a wgpu::Buffer, offset: u64, len: usize) -> Self {
        Self { buffer, offset, len, marker: PhantomData }
    }

    /// The whole buffer.
    pub fn whole(buffer: &'a wgpu::Buffer) -> Self {
        Self::new(buffer, 0, (buffer.size() / T::BYTES) as usize)
    }

    /// Numbers in the range.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the range is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The byte after the range; saturates for absurd lengths.
    pub(crate) fn end(&self) -> u64 {
        (self.len as u64).saturating_mul(T::BYTES).saturating_add(self.offset)
    }

    pub(crate) fn binding(&self) -> wgpu::BufferBinding<'a> {
        let size = wgpu::BufferSize::new(self.end() - self.offset);
        wgpu::BufferBinding { buffer: self.buffer, offset: self.offset, size }
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.buffer == other.buffer && self.offset < other.end() && other.offset < self.end()
    }
}

impl<T: Real> DeviceSlice<'_, T> {
    /// Checks that precede a copy of the numbers.
    fn check_copied(&self, vector: &'static str) -> Result<()> {
        if !self.buffer.usage().contains(wgpu::BufferUsages::COPY_SRC) {
            return Err(Error::BufferUsage { vector, usage: "BufferUsages::COPY_SRC" });
        }
        if self.end() > self.buffer.size() {
            return Err(Error::BufferTooSmall { vector, end: self.end(), size: self.buffer.size() });
        }
        if !self.offset.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT) {
            return Err(Error::Misaligned { vector, offset: self.offset, alignment: wgpu::COPY_BUFFER_ALIGNMENT });
        }
        Ok(())
    }

    /// Copies the numbers to the host. The buffer needs `BufferUsages::COPY_SRC`.
    ///
    /// # Errors
    /// [`Error::BufferUsage`], [`Error::BufferTooSmall`], [`Error::Misaligned`] for an offset that is not a multiple of 4,
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<T>> {
        self.check_copied("the range to read")?;
        gpu.start_reading::<T>(self.buffer, self.offset, self.len)?.wait(gpu)
    }
}

impl<T: Real> DeviceVector<T> {
    /// Memory for `len` numbers, initially zero.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn new(gpu: &Gpu, label: &str, len: usize) -> Result<Self> {
        let buffer = gpu.allocate(
            label,
            (len as u64).saturating_mul(T::PRECISION.bytes()),
            wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        )?;
        Ok(Self { buffer, len, marker: PhantomData })
    }

    /// A copy of host numbers.
    ///
    /// # Errors
    /// As [`DeviceVector::new`].
    pub fn from_slice(gpu: &Gpu, label: &str, values: &[T]) -> Result<Self> {
        let vector = Self::new(gpu, label, values.len())?;
        vector.write(gpu, 0, values)?;
        Ok(vector)
    }

    /// `len` numbers that repeat a tile.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn repeated(gpu: &Gpu, label: &str, tile: &[T], len: usize) -> Result<Self> {
        let vector = Self::new(gpu, label, len)?;
        for start in (0..len).step_by(tile.len().max(1)) {
            vector.write(gpu, start, &tile[..tile.len().min(len - start)])?;
            // Uploads stay in host memory until they are submitted.
            gpu.wait()?;
        }
        Ok(vector)
    }

    /// Sets all numbers to zero.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn clear(&self, gpu: &Gpu) -> Result<()> {
        gpu.guarded("a clear", 0, || {
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            encoder.clear_buffer(&self.buffer, 0, None);
            gpu.queue().submit([encoder.finish()]);
        })
    }

    /// Copies numbers from the device, at least as many as this vector has.
    pub(crate) fn copy_from(&self, gpu: &Gpu, vector: &'static str, from: &DeviceSlice<'_, T>) -> Result<()> {
        self.copy_part(gpu, vector, from, self.len)
    }

    /// Copies the first `len` numbers from the device.
    pub(crate) fn copy_part(
        &self,
        gpu: &Gpu,
        vector: &'static str,
        from: &DeviceSlice<'_, T>,
        len: usize,
    ) -> Result<()> {
        from.check_copied(vector)?;
        let bytes = len as u64 * T::PRECISION.bytes();
        gpu.guarded("a copy", 0, || {
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(from.buffer, from.offset, &self.buffer, 0, bytes);
            gpu.queue().submit([encoder.finish()]);
        })
    }

    /// Overwrites numbers from index `start`.
    ///
    /// # Errors
    /// [`Error::Length`] past the end, [`Error::DeviceLost`].
    pub fn write(&self, gpu: &Gpu, start: usize, values: &[T]) -> Result<()> {
        if start.checked_add(values.len()).is_none_or(|end| end > self.len) {
            return Err(Error::Length {
                vector: "the written range",
                expected: format!("at most {}", self.len.saturating_sub(start)),
                found: values.len(),
            });
        }
        let offset = start as u64 * T::PRECISION.bytes();
        gpu.uploads().upload(gpu, &self.buffer, offset, bytemuck::cast_slice(values))
    }

    /// Copies the numbers to the host.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<T>> {
        gpu.start_reading::<T>(&self.buffer, 0, self.len)?.wait(gpu)
    }

    /// The whole vector, to bind.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::new(&self.buffer, 0, self.len)
    }

    /// `len` numbers from index `start`, to bind.
    pub fn slice(&self, start: usize, len: usize) -> DeviceSlice<'_, T> {
        DeviceSlice::new(&self.buffer, start as u64 * T::PRECISION.bytes(), len)
    }

    /// The buffer below: STORAGE, COPY_SRC and COPY_DST.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Numbers in the vector.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the vector is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// All of a buffer, to bind.
pub(crate) fn whole_buffer(buffer: &wgpu::Buffer) -> wgpu::BufferBinding<'_> {
    wgpu::BufferBinding { buffer, offset: 0, size: None }
}

impl Gpu {
    /// A buffer of at least `bytes`, rounded up so that a last, partial vector fits.
    pub(crate) fn allocate(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let size = bytes.max(4).checked_next_multiple_of(32).unwrap_or(u64::MAX);
        let most = self.capabilities().limits.max_buffer_size;
        check_limit(format_args!("a buffer for {label}"), size, "max_buffer_size", most)?;
        self.guarded(label, size, || {
            self.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        })
    }

    /// A uniform buffer with these contents.
    pub(crate) fn uniform(&self, label: &str, contents: &[u8]) -> Result<wgpu::Buffer> {
        // Software adapters bind it as storage.
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let buffer = self.allocate(label, contents.len() as u64, usage)?;
        self.guarded(label, 0, || self.queue().write_buffer(&buffer, 0, contents))?;
        Ok(buffer)
    }

    /// Submits one compute pass.
    pub(crate) fn submit_pass(&self, what: &str, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) -> Result<()> {
        self.guarded(what, 0, || {
            let mut encoder = self.device().create_command_encoder(&Default::default());
            record(&mut encoder.begin_compute_pass(&Default::default()));
            self.queue().submit([encoder.finish()]);
        })
    }

    /// Blocks until all submitted work is done.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], also if the device does not finish within ten minutes.
    pub fn wait(&self) -> Result<()> {
        self.wait_for(None)
    }

    /// Blocks until a submission is done; `None`: all.
    pub(super) fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<()> {
        let result = self.device().poll(wgpu::PollType::Wait { submission_index, timeout: Some(PATIENCE) });
        self.alive()?;
        result.map(|_| ()).map_err(|error| Error::DeviceLost { reason: error.to_string() })
    }
}
