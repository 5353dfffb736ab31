//! A plan tied to buffers, for an engine to record each frame.

use super::access::{RowAccess, Vector, Vectors};
use super::params::Offsets;
use super::program::{IndirectArgs, Program, Slot};
use super::shape::Shape;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::gpu::{Gpu, Stage, whole_buffer};
use crate::real::Real;
use crate::shader::Permutation;
use crate::status::{NONE, Status};

/// A solve that can be recorded into compute passes many times.
pub struct Bound {
    gpu: Gpu,
    stages: Vec<Stage>,
    status: wgpu::Buffer,
    rows: usize,
    columns: usize,
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("dispatches", &self.stages.len()).finish()
    }
}

const WORDS: usize = Status::WORDS.len();

impl Bound {
    /// Records the solve. It reads and writes the bound ranges in the order of the pass; it allocates nothing, submits nothing and cannot
    /// fail. It leaves another pipeline and bind group 0 set in the pass.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for stage in &self.stages {
            stage.record(pass);
        }
    }

    /// The same with a dispatch behind it.
    pub(crate) fn and_then(mut self, stage: Stage) -> Self {
        self.stages.push(stage);
        self
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Device seconds of each dispatch in a pass of its own, in the order of a solve, by label.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn time_stages(
        &self,
        timer: &crate::gpu::PassTimer,
        warm_up: std::time::Duration,
        runs: usize,
    ) -> Result<Vec<(String, f64)>> {
        let record = |at: usize, pass: &mut wgpu::ComputePass<'_>| self.stages[at].record(pass);
        let samples = timer.measure_each(warm_up, runs, self.stages.len(), record)?;
        let names = self.stages.iter().map(|stage| stage.kernel.name.clone());
        Ok(names.zip(samples.iter().map(crate::gpu::Samples::median)).collect())
    }

    /// Submits a pass with this solve only, for callers without a pass of their own.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn submit(&self) -> Result<()> {
        self.gpu.submit_pass("a solve", |pass| self.record(pass))
    }

    /// The status words, u32 each, in the order of [`Status::WORDS`]; [`u32::MAX`] means no event. They accumulate over all recorded solves
    /// until [`Bound::reset_status`]. The buffer has COPY_SRC.
    pub fn status_buffer(&self) -> &wgpu::Buffer {
        &self.status
    }

    /// Resets the status words, in the queue's order.
    pub fn reset_status(&self) {
        self.gpu.queue().write_buffer(&self.status, 0, bytemuck::bytes_of(&[NONE; WORDS]));
    }

    /// Waits for all submitted work and reads the status words.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn read_status(&self) -> Result<Status> {
        pollster::block_on(async {
            let reading = self.gpu.start_reading::<f32>(&self.status, 0, WORDS)?;
            self.gpu.wait()?;
            Ok(self.decode(&reading.wait_async(&self.gpu).await?))
        })
    }

    /// Of the words of [`Bound::status_buffer`].
    pub(crate) fn decode(&self, words: &[f32]) -> Status {
        let words: Vec<_> = words.iter().map(|word| word.to_bits()).collect();
        Status::decode(&words, self.rows, self.columns)
    }
}

/// Ties dispatches to buffers; `permutation` makes a kernel for an access to the rows, with writable inputs or not.
pub(crate) fn bind<T: Real, K: Copy>(
    gpu: &Gpu,
    shape: &Shape,
    program: &Program<K>,
    scratch: &[wgpu::Buffer],
    vectors: &Vectors<'_, T>,
    permutation: impl Fn(K, RowAccess, bool) -> Permutation,
) -> Result<Bound> {
    bind_with(gpu, shape, program, scratch, vectors, &[], permutation)
}

/// As [`bind`], with the vectors written beside the output.
pub(crate) fn bind_with<T: Real, K: Copy>(
    gpu: &Gpu,
    shape: &Shape,
    program: &Program<K>,
    scratch: &[wgpu::Buffer],
    vectors: &Vectors<'_, T>,
    beside: &[Vector<'_, T>],
    permutation: impl Fn(K, RowAccess, bool) -> Permutation,
) -> Result<Bound> {
    let rows = vectors.access(gpu, shape);
    let whole_units = rows != RowAccess::Scalar;
    bind_numbered(
        gpu,
        (shape.n, shape.columns),
        (program, scratch),
        (vectors, beside),
        whole_units,
        |kernel, writable| permutation(kernel, rows, writable),
    )
}

/// As [`bind_with`], for a family with its own access to vectors and its own numbering of rows: each of `columns` has `rows` rows.
pub(crate) fn bind_numbered<T: Real, K: Copy, P: Offsets>(
    gpu: &Gpu,
    (rows, columns): (usize, usize),
    (program, scratch): (&Program<K, P>, &[wgpu::Buffer]),
    (vectors, beside): (&Vectors<'_, T>, &[Vector<'_, T>]),
    whole_units: bool,
    permutation: impl Fn(K, bool) -> Permutation,
) -> Result<Bound> {
    gpu.alive()?;
    vectors.check(gpu)?;
    for written in beside {
        vectors.check_beside(gpu, written)?;
    }
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    const BYTES: u64 = 4 * WORDS as u64;
    let status = gpu.allocate("status words", BYTES, usage)?;
    let clear = || gpu.queue().write_buffer(&status, 0, bytemuck::bytes_of(&[NONE; WORDS]));
    gpu.guarded("status words", BYTES, clear)?;
    let writable_inputs = vectors.writable_inputs(beside);
    let in_place = program.in_place.as_ref().filter(|_| vectors.in_place.is_some());
    let steps = in_place.unwrap_or(&program.steps);
    let permutations: Vec<_> = steps.iter().map(|step| permutation(step.kernel, writable_inputs)).collect();
    let kernels = gpu.kernels(&permutations)?;
    let mut stages = Vec::with_capacity(steps.len());
    for ((step, permutation), kernel) in steps.iter().zip(&permutations).zip(kernels) {
        let mut bindings = vec![];
        let mut placed: Vec<(u32, &Vector<'_, T>)> = vec![];
        let mut textures = vec![];
        let input = |index: usize| &vectors.inputs[index];
        for slot in &step.slots {
            match *slot {
                Slot::Inputs => placed.extend((1..).zip(&vectors.inputs)),
                Slot::Input(at) => placed.push((at as u32 + 1, input(at))),
                Slot::InputAt { binding, index } => placed.push((binding, input(index))),
                Slot::InputPart { binding, index, offset, bytes } => {
                    let whole = input(index).binding(gpu, whole_units);
                    let size = wgpu::BufferSize::new(bytes);
                    bindings.push((binding, wgpu::BufferBinding { offset: whole.offset + offset, size, ..whole }));
                }
                Slot::Texture { binding, index } => textures.push((binding, vectors.textures[index])),
                Slot::Status => bindings.push((5, whole_buffer(&status))),
                Slot::Output => placed.push((6, &vectors.output)),
                Slot::Beside { binding, index } => bindings.push((binding, beside[index].binding(gpu, whole_units))),
                Slot::Scratch { binding, index } => bindings.push((binding, whole_buffer(&scratch[index]))),
            }
        }
        let params = step.params.with_offsets(gpu, &placed);
        bindings.extend(placed.iter().map(|(binding, vector)| (*binding, vector.binding(gpu, whole_units))));
        let params = gpu.uniform("parameters", bytemuck::bytes_of(&params))?;
        bindings.push((0, whole_buffer(&params)));
        let label = permutation.to_string();
        let stage = Stage::with_textures(gpu, &label, kernel, &bindings, &textures, step.workgroups)?;
        stages.push(match step.indirect {
            Some(IndirectArgs { scratch: at, offset }) => stage.indirect(&scratch[at], offset),
            None => stage,
        });
    }
    Ok(Bound { gpu: gpu.clone(), stages, status, rows, columns })
}
