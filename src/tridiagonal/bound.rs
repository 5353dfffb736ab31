//! A plan tied to buffers: what an engine records each frame.

use super::kernels::{Access, RowAccess};
use super::options::Diagonal;
use super::plan::TridiagonalPlan;
use super::program::Slot;
use super::shape::Shape;
use super::system::DeviceSystem;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, Gpu, Stage, whole_buffer};
use crate::real::Real;

/// A solve, ready to be recorded into compute passes, again and again.
pub struct Bound {
    gpu: Gpu,
    stages: Vec<Stage>,
    trouble: wgpu::Buffer,
    rows: usize,
    columns: usize,
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("dispatches", &self.stages.len()).finish()
    }
}

/// What the device noticed, as the least index of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// (system, row) of the first NaN or infinity among the inputs.
    pub non_finite_input: Option<(usize, usize)>,
    /// (system, row) of the first chunk of rows whose unknowns came out NaN or infinite.
    pub non_finite_result: Option<(usize, usize)>,
}

impl Status {
    /// The error that this status means, if any.
    ///
    /// # Errors
    /// [`Error::NonFiniteInput`], [`Error::Breakdown`].
    pub fn check(self) -> Result<()> {
        if let Some((system, row)) = self.non_finite_input {
            return Err(Error::NonFiniteInput { vector: "a coefficient or right-hand side", system, row });
        }
        match self.non_finite_result {
            Some((system, row)) => Err(Error::Breakdown { system, row }),
            None => Ok(()),
        }
    }
}

const NONE: u32 = u32::MAX;

impl Bound {
    /// Records the solve. Reads and writes the bound ranges in the order of the pass; allocates
    /// nothing, submits nothing, cannot fail. Leaves the pass with another pipeline and bind
    /// group 0 set.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for stage in &self.stages {
            stage.record(pass);
        }
    }

    /// Device seconds of each dispatch on its own, by label: where the time goes.
    #[cfg(feature = "testing")]
    pub(crate) fn time_stages(&self, warm_up: std::time::Duration, runs: usize) -> Result<Vec<(String, f64)>> {
        let timer = crate::gpu::PassTimer::new(&self.gpu)?;
        self.stages
            .iter()
            .map(|stage| {
                let samples = timer.measure(warm_up, runs, |pass| stage.record(pass))?;
                Ok((stage.kernel.name.clone(), samples.median()))
            })
            .collect()
    }

    /// Submits a pass with nothing but the solve, for callers without a pass of their own.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn submit(&self) -> Result<()> {
        self.gpu.submit_pass("a solve", |pass| self.record(pass))
    }

    /// Two u32 words, u32::MAX while all is well: the least `(system * columns + column) * n +
    /// row` of a non-finite input, and of a non-finite result. They gather over all recorded
    /// solves until [`Bound::reset_status`]. The buffer has COPY_SRC.
    pub fn status_buffer(&self) -> &wgpu::Buffer {
        &self.trouble
    }

    /// Forgets what was noticed, in the queue's order.
    pub fn reset_status(&self) {
        self.gpu.queue().write_buffer(&self.trouble, 0, bytemuck::bytes_of(&[NONE; 2]));
    }

    /// Waits for all that was submitted and reads what was noticed.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn read_status(&self) -> Result<Status> {
        pollster::block_on(async {
            let reading = self.gpu.start_reading::<f32>(&self.trouble, 0, 2)?;
            self.gpu.wait()?;
            Ok(self.decode(&reading.wait_async(&self.gpu).await?))
        })
    }

    pub(crate) async fn read_status_async(&self) -> Result<Status> {
        let words = self.gpu.start_reading::<f32>(&self.trouble, 0, 2)?.wait_async(&self.gpu).await?;
        Ok(self.decode(&words))
    }

    fn decode(&self, words: &[f32]) -> Status {
        let place = |word: f32| {
            let index = word.to_bits();
            (index != NONE).then(|| {
                let index = index as usize;
                (index / self.rows / self.columns, index % self.rows)
            })
        };
        Status { non_finite_input: place(words[0]), non_finite_result: place(words[1]) }
    }
}

/// The buffers behind a system, checked.
fn check_ranges<T: Real>(gpu: &Gpu, shape: &Shape, system: &DeviceSystem<'_, T>) -> Result<()> {
    // The plan has checked that both lengths exist.
    let matrix = shape.matrix_len().unwrap_or(usize::MAX);
    let right = shape.rhs_len().unwrap_or(usize::MAX);
    let alignment = u64::from(gpu.capabilities().limits.min_storage_buffer_offset_alignment);
    let mut all =
        system.inputs().map(|(name, slice)| (name, slice, if name == "rhs" { right } else { matrix })).to_vec();
    if let Some(x) = system.x {
        all.push(("x", x, right));
    }
    for &(vector, slice, len) in &all {
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
    }
    let target = system.target();
    for (name, input) in system.inputs() {
        let in_place = name == "rhs" && system.x.is_none();
        let trimmed = DeviceSlice::<T>::new(input.buffer, input.offset, if name == "rhs" { right } else { matrix });
        let x = DeviceSlice::<T>::new(target.buffer, target.offset, right);
        if !in_place && trimmed.overlaps(&x) {
            return Err(Error::Overlap {
                first: name,
                second: if system.x.is_some() { "x" } else { "rhs (in place)" },
            });
        }
    }
    Ok(())
}

/// The bytes to bind for a range: rounded up to a whole vector where that is asked.
fn binding<'a, T: Real>(slice: &DeviceSlice<'a, T>, len: usize, vector: bool) -> wgpu::BufferBinding<'a> {
    let bytes = len as u64 * T::PRECISION.bytes();
    let size = if vector { bytes.next_multiple_of(4 * T::PRECISION.bytes()) } else { bytes };
    wgpu::BufferBinding { buffer: slice.buffer, offset: slice.offset, size: wgpu::BufferSize::new(size) }
}

/// Whether every range may be read in whole vectors: the last one must lie in its buffer.
fn vectors_fit<T: Real>(gpu: &Gpu, system: &DeviceSystem<'_, T>, matrix: usize, right: usize) -> bool {
    let limit = gpu.capabilities().limits.max_storage_buffer_binding_size;
    let target = system.target();
    let ranges = system.inputs().map(|(name, slice)| (slice, if name == "rhs" { right } else { matrix }));
    ranges.into_iter().chain([(target, right)]).all(|(slice, len)| {
        let bytes = (len as u64 * T::PRECISION.bytes()).next_multiple_of(4 * T::PRECISION.bytes());
        bytes <= limit && slice.offset + bytes <= slice.buffer.size()
    })
}

pub(crate) fn bind_program<T: Real>(plan: &TridiagonalPlan<T>, system: &DeviceSystem<'_, T>) -> Result<Bound> {
    let TridiagonalPlan { gpu, shape, program, scratch, .. } = plan;
    gpu.alive()?;
    check_ranges(gpu, shape, system)?;
    let matrix = shape.matrix_len().unwrap_or(usize::MAX);
    let right = shape.rhs_len().unwrap_or(usize::MAX);
    let target = system.target();
    let rows = if vectors_fit(gpu, system, matrix, right) { RowAccess::of(shape) } else { RowAccess::Scalar };
    let vector = rows != RowAccess::Scalar;
    let writable_inputs = system.inputs().iter().any(|(_, slice)| slice.buffer == target.buffer);
    let access = Access { rows, writable_inputs, excess: plan.options.diagonal == Diagonal::Excess };

    let trouble = gpu.allocate(
        "status words",
        8,
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
    )?;
    gpu.guarded("status words", 8, || gpu.queue().write_buffer(&trouble, 0, bytemuck::bytes_of(&[NONE; 2])))?;
    let mut stages = Vec::with_capacity(program.steps.len());
    for step in &program.steps {
        let permutation = step.kernel.permutation(T::PRECISION, access);
        let params = gpu.uniform("tridiagonal parameters", bytemuck::bytes_of(&step.params))?;
        let mut bindings = vec![(0, whole_buffer(&params))];
        for slot in &step.slots {
            match *slot {
                Slot::Inputs => {
                    for (at, (name, slice)) in system.inputs().iter().enumerate() {
                        let len = if *name == "rhs" { right } else { matrix };
                        bindings.push((at as u32 + 1, binding(slice, len, vector)));
                    }
                }
                Slot::Trouble => bindings.push((5, whole_buffer(&trouble))),
                Slot::X => bindings.push((6, binding(&target, right, vector))),
                Slot::Scratch { binding, index } => bindings.push((binding, whole_buffer(&scratch[index]))),
            }
        }
        stages.push(Stage::new(gpu, &permutation.to_string(), gpu.kernel(&permutation)?, &bindings, step.workgroups)?);
    }
    Ok(Bound { gpu: gpu.clone(), stages, trouble, rows: shape.n, columns: shape.columns })
}
