//! Copies of device memory for the host.

use std::marker::PhantomData;

use futures_channel::oneshot;

use super::context::Gpu;
use super::parallel_copy;
use crate::error::{Error, Result};
use crate::real::Real;

/// Host memory that ranges of buffers are copied to, kept from one reading to the next.
#[derive(Debug)]
pub(crate) struct ReadBack {
    staging: wgpu::Buffer,
    ranges: Vec<Range>,
}

#[derive(Debug)]
struct Range {
    buffer: wgpu::Buffer,
    offset: u64,
    bytes: u64,
    /// Its offset in the host's memory.
    place: u64,
}

/// Copies on their way.
#[derive(Debug)]
pub(crate) struct Copies {
    mapped: oneshot::Receiver<std::result::Result<(), wgpu::BufferAsyncError>>,
}

/// Copies that have arrived.
pub(crate) struct Received<'a> {
    view: &'a [u8],
    ranges: &'a [Range],
}

impl ReadBack {
    /// For ranges of buffers (with COPY_SRC): offset and bytes, multiples of 4.
    pub fn new<'a>(gpu: &Gpu, ranges: impl IntoIterator<Item = (&'a wgpu::Buffer, u64, u64)>) -> Result<Self> {
        let mut end = 0u64;
        let ranges = ranges
            .into_iter()
            .map(|(buffer, offset, bytes)| {
                let place = end;
                // Numbers of any type are aligned.
                end = place.saturating_add(bytes).checked_next_multiple_of(16).unwrap_or(u64::MAX);
                Range { buffer: buffer.clone(), offset, bytes, place }
            })
            .collect();
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        Ok(Self { staging: gpu.allocate("a read-back", end, usage)?, ranges })
    }

    /// Submits what was recorded, then copies of the first `count` ranges.
    fn submit(&self, gpu: &Gpu, mut encoder: wgpu::CommandEncoder, count: usize) -> Copies {
        for Range { buffer, offset, bytes, place } in &self.ranges[..count] {
            encoder.copy_buffer_to_buffer(buffer, *offset, &self.staging, *place, *bytes);
        }
        gpu.queue().submit([encoder.finish()]);
        let (send, mapped) = oneshot::channel();
        self.staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The reader may have been dropped.
            let _ = send.send(result);
        });
        Copies { mapped }
    }

    /// Number of ranges.
    pub fn ranges(&self) -> usize {
        self.ranges.len()
    }

    /// Waits, under any executor (the device is polled whenever the future is), and takes what is needed of the copies.
    pub async fn received<R>(&self, gpu: &Gpu, copies: Copies, take: impl FnOnce(&Received<'_>) -> R) -> Result<R> {
        let lost = |reason: String| Error::DeviceLost { reason };
        let mut mapped = copies.mapped;
        let outcome = std::future::poll_fn(|context| {
            let polled = gpu.device().poll(wgpu::PollType::Poll);
            match std::future::Future::poll(std::pin::Pin::new(&mut mapped), context) {
                std::task::Poll::Pending if polled.is_ok() && gpu.alive().is_ok() => {
                    context.waker().wake_by_ref();
                    std::task::Poll::Pending
                }
                std::task::Poll::Pending => std::task::Poll::Ready(None),
                std::task::Poll::Ready(result) => std::task::Poll::Ready(Some(result)),
            }
        })
        .await;
        gpu.alive()?;
        match outcome {
            Some(Ok(Ok(()))) => {}
            Some(Ok(Err(error))) => return Err(lost(error.to_string())),
            Some(Err(_)) | None => return Err(lost("a read-back was abandoned".into())),
        }
        let failed =
            |error: wgpu::MapRangeError| Error::Device { what: "a read-back".into(), message: error.to_string() };
        let taken = {
            let view = self.staging.get_mapped_range(..).map_err(failed)?;
            take(&Received { view: &view, ranges: &self.ranges })
        };
        self.staging.unmap();
        Ok(taken)
    }
}

impl Received<'_> {
    fn bytes(&self, range: usize) -> &[u8] {
        let Range { bytes, place, .. } = self.ranges[range];
        &self.view[place as usize..][..bytes as usize]
    }

    pub fn ranges(&self) -> usize {
        self.ranges.len()
    }

    /// The numbers of a range.
    pub fn values<T: Real>(&self, range: usize) -> Vec<T> {
        parallel_copy::values_from_mapped(self.bytes(range))
    }

    /// Copies the numbers of a range, as many as `values` holds.
    pub fn copy_to<T: Real>(&self, range: usize, values: &mut [T]) {
        parallel_copy::from_mapped(bytemuck::cast_slice_mut(values), self.bytes(range));
    }
}

/// A copy of one range on its way.
pub(crate) struct Reading<T> {
    read_back: ReadBack,
    copies: Copies,
    marker: PhantomData<T>,
}

impl Gpu {
    /// Submits one compute pass, and copies of the first `count` ranges.
    pub(crate) fn submit_read(
        &self,
        what: &str,
        (read_back, count): (&ReadBack, usize),
        record: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) -> Result<Copies> {
        self.guarded(what, 0, || {
            let mut encoder = self.device().create_command_encoder(&Default::default());
            record(&mut encoder.begin_compute_pass(&Default::default()));
            read_back.submit(self, encoder, count)
        })
    }

    /// Copies numbers of a buffer (with COPY_SRC) to the host, after all submitted work.
    pub(crate) fn start_reading<T: Real>(&self, buffer: &wgpu::Buffer, offset: u64, len: usize) -> Result<Reading<T>> {
        let bytes = len as u64 * T::PRECISION.bytes();
        let read_back = ReadBack::new(self, [(buffer, offset, bytes)])?;
        let copies = self.guarded("a read-back", bytes, || {
            read_back.submit(self, self.device().create_command_encoder(&Default::default()), 1)
        })?;
        Ok(Reading { read_back, copies, marker: PhantomData })
    }
}

impl<T: Real> Reading<T> {
    pub fn wait(self, gpu: &Gpu) -> Result<Vec<T>> {
        gpu.wait()?;
        pollster::block_on(self.wait_async(gpu))
    }

    /// Under any executor: the device is polled whenever the future is.
    pub async fn wait_async(self, gpu: &Gpu) -> Result<Vec<T>> {
        let Self { read_back, copies, .. } = self;
        read_back.received(gpu, copies, |received| received.values(0)).await
    }
}
