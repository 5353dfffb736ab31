//! Measures the device time of a compute pass, after a warm-up of a given duration.

use std::time::{Duration, Instant};

#[cfg(feature = "internals")]
use super::awake::{Awake, Rest};
use super::context::Gpu;
use super::kernel::Stage;
use crate::error::Result;
use crate::precision::Precision;
use crate::shader::{Permutation, parts};

parts! {
    COPY = "shared/copy";
}

/// Times compute passes with timestamps; without them with the host's clock, from submission to completion.
pub struct PassTimer {
    gpu: Gpu,
    queries: Option<Queries>,
    /// Keeps the clock up between measurements.
    #[cfg(feature = "internals")]
    awake: Option<Awake>,
}

struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

/// Passes per submission: they share the host's overhead.
const BATCH: u32 = 8;

/// Seconds of several runs, sorted.
#[derive(Debug, Clone)]
pub struct Samples(Vec<f64>);

impl Samples {
    fn of(mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        Self(seconds)
    }

    /// The median, in seconds.
    pub fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    /// The minimum, in seconds.
    pub fn min(&self) -> f64 {
        self.0[0]
    }
}

impl PassTimer {
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let queries = if gpu.capabilities().features.timestamps {
            let count = 2 * BATCH;
            let resolved = gpu.allocate(
                "timestamps",
                u64::from(count) * 8,
                wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            )?;
            let set = gpu.guarded("timestamps", 0, || {
                gpu.device().create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("timestamps"),
                    ty: wgpu::QueryType::Timestamp,
                    count,
                })
            })?;
            Some(Queries { set, resolved })
        } else {
            None
        };
        Ok(Self {
            gpu: gpu.clone(),
            queries,
            #[cfg(feature = "internals")]
            awake: None,
        })
    }

    /// A timer that keeps a GPU busy with copies while it measures nothing: an idle device lowers its clock, and times after a pause are several
    /// times too long.
    ///
    /// # Errors
    /// As [`PassTimer::new`].
    #[cfg(feature = "internals")]
    pub fn keeping_awake(gpu: &Gpu) -> Result<Self> {
        Ok(Self { awake: Some(Awake::new(gpu)?), ..Self::new(gpu)? })
    }

    /// Keeps the device free of the timer's own copies while the result lives, for measurements by another clock. Drop it before this timer
    /// measures: [`PassTimer::measure`] would wait for ever.
    #[cfg(feature = "internals")]
    pub fn rest(&self) -> Option<Rest<'_>> {
        self.awake.as_ref().map(Awake::rest)
    }

    /// Whether times are the device's own, without submission and read-back.
    pub fn is_device_time(&self) -> bool {
        self.queries.is_some()
    }

    /// Seconds of each of `count` passes, at least one, submitted [`BATCH`] at a time.
    fn run(&self, count: usize, record: &mut dyn FnMut(&mut wgpu::ComputePass<'_>)) -> Result<Vec<f64>> {
        let mut seconds = Vec::with_capacity(count);
        while seconds.len() < count.max(1) {
            let passes = (count.max(1) - seconds.len()).min(BATCH as usize) as u32;
            match &self.queries {
                Some(queries) => seconds.extend(self.timed(queries, passes, record)?),
                None => seconds.push(self.clocked(record)?),
            }
        }
        Ok(seconds)
    }

    fn timed(
        &self,
        queries: &Queries,
        passes: u32,
        record: &mut dyn FnMut(&mut wgpu::ComputePass<'_>),
    ) -> Result<Vec<f64>> {
        self.gpu.guarded("a timed pass", 0, || {
            let mut encoder = self.gpu.device().create_command_encoder(&Default::default());
            for i in 0..passes {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: Some("timed"),
                    timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                        query_set: &queries.set,
                        beginning_of_pass_write_index: Some(2 * i),
                        end_of_pass_write_index: Some(2 * i + 1),
                    }),
                });
                record(&mut pass);
            }
            encoder.resolve_query_set(&queries.set, 0..2 * passes, &queries.resolved, 0);
            self.gpu.queue().submit([encoder.finish()]);
        })?;
        // Read as f64 words and split again: the bits are u64 ticks.
        let ticks = self.gpu.start_reading::<f64>(&queries.resolved, 0, 2 * passes as usize)?.wait(&self.gpu)?;
        let period = f64::from(self.gpu.queue().get_timestamp_period()) * 1e-9;
        Ok(ticks.chunks(2).map(|pair| pair[1].to_bits().saturating_sub(pair[0].to_bits()) as f64 * period).collect())
    }

    fn clocked(&self, record: &mut dyn FnMut(&mut wgpu::ComputePass<'_>)) -> Result<f64> {
        self.gpu.wait()?;
        let start = Instant::now();
        self.gpu.guarded("a timed pass", 0, || {
            let mut encoder = self.gpu.device().create_command_encoder(&Default::default());
            record(&mut encoder.begin_compute_pass(&Default::default()));
            self.gpu.queue().submit([encoder.finish()]);
        })?;
        self.gpu.wait()?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Runs the pass for the duration `warm_up` (clocks rise with time, not with the number of runs), then times `count` runs.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub fn measure(
        &self,
        warm_up: Duration,
        count: usize,
        mut record: impl FnMut(&mut wgpu::ComputePass<'_>),
    ) -> Result<Samples> {
        #[cfg(feature = "internals")]
        let _rest = self.rest();
        let start = Instant::now();
        while start.elapsed() < warm_up {
            self.run(1, &mut record)?;
        }
        Ok(Samples::of(self.run(count, &mut record)?))
    }

    /// Times passes that must run in order: rounds of `passes` each, after rounds for the duration `warm_up`.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost).
    #[cfg(feature = "internals")]
    pub(crate) fn measure_each(
        &self,
        warm_up: Duration,
        count: usize,
        passes: usize,
        mut record: impl FnMut(usize, &mut wgpu::ComputePass<'_>),
    ) -> Result<Vec<Samples>> {
        let mut next = 0;
        let mut in_order = |pass: &mut wgpu::ComputePass<'_>| {
            record(next % passes, pass);
            next += 1;
        };
        let _rest = self.rest();
        let start = Instant::now();
        while start.elapsed() < warm_up {
            self.run(passes, &mut in_order)?;
        }
        let seconds = self.run(passes * count.max(1), &mut in_order)?;
        Ok((0..passes).map(|pass| Samples::of(seconds.iter().copied().skip(pass).step_by(passes).collect())).collect())
    }
}

/// Bytes per second (read plus written) of a plain copy between two buffers of `bytes` each: the limit on this device for a kernel that
/// only moves memory.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::DeviceLost`](crate::Error::DeviceLost).
pub fn copy_bandwidth(gpu: &Gpu, bytes: u64, warm_up: Duration, count: usize) -> Result<f64> {
    let (stage, size) = copy_stage(gpu, bytes)?;
    let samples = PassTimer::new(gpu)?.measure(warm_up, count, |pass| stage.record(pass))?;
    Ok(2.0 * size as f64 / samples.median())
}

/// A copy of `bytes` bytes, or of the most that a binding holds; with the number of bytes.
pub(crate) fn copy_stage(gpu: &Gpu, bytes: u64) -> Result<(Stage, u64)> {
    const WORKGROUP: u32 = 256;
    let limits = &gpu.capabilities().limits;
    let size = bytes.min(limits.max_storage_buffer_binding_size).min(limits.max_buffer_size) / 16 * 16;
    let usage = wgpu::BufferUsages::STORAGE;
    let source = gpu.allocate("copy source", size, usage)?;
    let target = gpu.allocate("copy target", size, usage)?;
    let kernel = gpu.kernel(&copy_permutation())?;
    let binding = |buffer| wgpu::BufferBinding { buffer, offset: 0, size: wgpu::BufferSize::new(size) };
    let stage = Stage::new(
        gpu,
        "copy",
        kernel,
        &[(0, binding(&source)), (1, binding(&target))],
        (size / 16).div_ceil(u64::from(WORKGROUP)),
    )?;
    Ok((stage, size))
}

/// The kernel that measures the copy bandwidth.
pub fn copy_permutation() -> Permutation {
    Permutation {
        kernel: "copy",
        precision: Precision::F32,
        writable_inputs: false,
        subgroups: false,
        parts: vec![COPY],
        constants: vec![],
        overrides: vec![("WORKGROUP", 256)],
        caller: None,
    }
}
