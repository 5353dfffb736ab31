//! Uploads through mapped buffers that are kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use super::context::{Gpu, locked};
use super::parallel_copy;
use crate::error::Result;

/// Bytes of a mapped buffer.
const CHUNK: usize = 4 << 20;
/// Most mapped buffers of a device.
const MOST_CHUNKS: usize = 16;
/// Shorter uploads go through `Queue::write_buffer`: they join the next submission.
const LEAST: usize = 1 << 18;

/// The mapped buffers of a device.
#[derive(Debug, Default)]
pub struct Uploads {
    pool: Arc<Mutex<Pool>>,
}

#[derive(Debug, Default)]
struct Pool {
    /// `None` where there is no buffer yet, or none any more.
    buffers: [Option<wgpu::Buffer>; MOST_CHUNKS],
    /// Places of buffers that are mapped.
    free: Vec<usize>,
    /// The last submissions that copy from buffers.
    copies: VecDeque<wgpu::SubmissionIndex>,
}

/// A buffer that is filled, and its place in the pool.
struct Chunk {
    buffer: wgpu::Buffer,
    place: usize,
}

impl Uploads {
    /// Copies bytes into a buffer, in the queue's order. The device copies a chunk while the next one is filled.
    pub fn upload(&self, gpu: &Gpu, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let write = |offset: u64, bytes: &[u8]| {
            gpu.guarded("an upload", bytes.len() as u64, || gpu.queue().write_buffer(target, offset, bytes))
        };
        if bytes.len() < LEAST {
            return write(offset, bytes);
        }
        for (at, part) in bytes.chunks(CHUNK).enumerate() {
            let (chunk, offset) = (self.mapped(gpu)?, offset + (at * CHUNK) as u64);
            let copied = self.copy(gpu, &chunk, target, offset, part);
            if copied?.is_err() {
                // The buffer is no longer mapped. If that is because the device is lost, the write reports it.
                self.pool().buffers[chunk.place] = None;
                write(offset, part)?;
            }
        }
        Ok(())
    }

    fn copy(
        &self,
        gpu: &Gpu,
        chunk: &Chunk,
        target: &wgpu::Buffer,
        offset: u64,
        part: &[u8],
    ) -> Result<std::result::Result<(), wgpu::MapRangeError>> {
        let &Chunk { ref buffer, place } = chunk;
        let bytes = part.len() as u64;
        gpu.guarded("an upload", bytes, || {
            parallel_copy::to_mapped(buffer.get_mapped_range_mut(..bytes)?.slice(..), part);
            buffer.unmap();
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(buffer, 0, target, offset, bytes);
            let copy = gpu.queue().submit([encoder.finish()]);
            let mut pool = self.pool();
            pool.copies.push_back(copy);
            if pool.copies.len() > MOST_CHUNKS {
                pool.copies.pop_front();
            }
            drop(pool);
            // The device owns the closure: a strong reference to the pool, which owns buffers of the device, would be a cycle.
            let pool = Arc::downgrade(&self.pool);
            buffer.map_async(wgpu::MapMode::Write, .., move |mapped| {
                let Some(pool) = pool.upgrade() else { return };
                let mut pool = locked(&pool);
                match mapped {
                    Ok(()) => pool.free.push(place),
                    Err(_) => pool.buffers[place] = None,
                }
            });
            Ok(())
        })
    }

    /// A mapped buffer: a free one, else a new one, else the first whose copy ends.
    fn mapped(&self, gpu: &Gpu) -> Result<Chunk> {
        loop {
            let mut pool = self.pool();
            if let Some(place) = pool.free.pop()
                && let Some(buffer) = pool.buffers[place].clone()
            {
                return Ok(Chunk { buffer, place });
            }
            let has_room = pool.buffers.iter().any(Option::is_none);
            // Calls of the device may run the closures of maps, which lock the pool.
            drop(pool);
            let failure = match has_room.then(|| created(gpu)) {
                Some(Ok(buffer)) => {
                    let mut pool = self.pool();
                    // Other threads may have taken the room.
                    let Some(place) = pool.buffers.iter().position(Option::is_none) else { continue };
                    pool.buffers[place] = Some(buffer.clone());
                    return Ok(Chunk { buffer, place });
                }
                Some(Err(error)) => Some(error),
                None => None,
            };
            let oldest = self.pool().copies.pop_front();
            match (oldest, failure) {
                (Some(copy), _) => gpu.wait_for(Some(copy))?,
                (None, Some(error)) => return Err(error),
                // Other threads are filling all buffers.
                (None, None) => gpu.wait()?,
            }
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        locked(&self.pool)
    }
}

fn created(gpu: &Gpu) -> Result<wgpu::Buffer> {
    gpu.guarded("an upload", CHUNK as u64, || {
        gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("an upload"),
            size: CHUNK as u64,
            usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        })
    })
}
