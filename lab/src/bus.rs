//! Transfers between the host and a device, without a solve.

use std::hint::black_box;

use trisolve::internals::gpu::allocate;
use trisolve::{Error, Gpu, Real, Result};
use wgpu::{BufferUsages, MapMode};

/// How vectors reach the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upload {
    /// By `Queue::write_buffer`, which allocates memory for each upload.
    WriteBuffer,
    /// Through mapped buffers, which are kept.
    Staging,
}

impl Upload {
    /// All ways.
    pub const ALL: [Self; 2] = [Self::WriteBuffer, Self::Staging];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WriteBuffer => "write_buffer",
            Self::Staging => "staging",
        }
    }
}

/// Buffers for uploads of vectors and the download of the last of them, kept from one transfer to the next.
#[derive(Debug)]
pub struct Bus<T> {
    gpu: Gpu,
    /// Each vector on the device, and the mapped buffer that it is copied from.
    vectors: Vec<(wgpu::Buffer, wgpu::Buffer)>,
    download: wgpu::Buffer,
    received: Vec<T>,
}

impl<T: Real> Bus<T> {
    /// For `vectors` vectors, at least one, of `len` numbers each.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn new(gpu: &Gpu, vectors: usize, len: usize) -> Result<Self> {
        let buffer = |label, usage| allocate(gpu, label, (len as u64).saturating_mul(T::PRECISION.bytes()), usage);
        let pair = || {
            let target = buffer("an upload's target", BufferUsages::COPY_DST | BufferUsages::COPY_SRC)?;
            Ok((target, buffer("an upload", BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC)?))
        };
        let vectors = (0..vectors.max(1)).map(|_| pair()).collect::<Result<Vec<_>>>()?;
        let download = buffer("a download", BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let bus = Self { gpu: gpu.clone(), vectors, download, received: vec![T::ZERO; len] };
        bus.map_uploads();
        gpu.wait()?;
        Ok(bus)
    }

    /// Uploads the vectors, and downloads the last one.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::Device`].
    pub fn transfer(&mut self, upload: Upload, vectors: &[&[T]]) -> Result<()> {
        let Self { gpu, vectors: own, download, received } = self;
        let failed =
            |error: wgpu::MapRangeError| Error::Device { what: "a transfer".into(), message: error.to_string() };
        let bytes = received.len() as u64 * T::PRECISION.bytes();
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        for ((target, staging), vector) in own.iter().zip(vectors) {
            let vector: &[u8] = bytemuck::cast_slice(vector);
            match upload {
                Upload::WriteBuffer => gpu.queue().write_buffer(target, 0, vector),
                Upload::Staging => {
                    staging.get_mapped_range_mut(..bytes).map_err(failed)?.copy_from_slice(vector);
                    staging.unmap();
                    encoder.copy_buffer_to_buffer(staging, 0, target, 0, bytes);
                }
            }
        }
        if let Some((last, _)) = own.last() {
            encoder.copy_buffer_to_buffer(last, 0, download, 0, bytes);
        }
        gpu.queue().submit([encoder.finish()]);
        // A failed map leaves no mapped range, which the next lines report.
        download.map_async(MapMode::Read, .., |_| {});
        if upload == Upload::Staging {
            self.map_uploads();
        }
        self.gpu.wait()?;
        let view = self.download.get_mapped_range(..bytes).map_err(failed)?;
        bytemuck::cast_slice_mut(black_box(&mut self.received[..])).copy_from_slice(&view);
        drop(view);
        self.download.unmap();
        Ok(())
    }

    /// Copies what the last upload through mapped buffers left there to the device, and the last vector back: the transfers alone, since the
    /// host copies nothing.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn transfer_mapped(&mut self) -> Result<()> {
        let mut encoder = self.gpu.device().create_command_encoder(&Default::default());
        for (target, staging) in &self.vectors {
            staging.unmap();
            encoder.copy_buffer_to_buffer(staging, 0, target, 0, staging.size());
        }
        if let Some((last, _)) = self.vectors.last() {
            encoder.copy_buffer_to_buffer(last, 0, &self.download, 0, last.size());
        }
        self.gpu.queue().submit([encoder.finish()]);
        self.download.map_async(MapMode::Read, .., |_| {});
        self.map_uploads();
        self.gpu.wait()?;
        self.download.unmap();
        Ok(())
    }

    /// The numbers of the last download.
    pub fn received(&self) -> &[T] {
        &self.received
    }

    fn map_uploads(&self) {
        for (_, staging) in &self.vectors {
            staging.map_async(MapMode::Write, .., |_| {});
        }
    }
}
