//! A plan tied to buffers: what an engine records each frame.

use super::access::{RowAccess, Vector, Vectors};
use super::program::{Program, Slot};
use super::shape::Shape;
use crate::error::{Error, Result};
use crate::gpu::wgsl::Permutation;
use crate::gpu::{Gpu, Stage, whole_buffer};
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

    /// Device seconds of each dispatch in a pass of its own, in the order of a solve, by label: where the time goes.
    #[cfg(feature = "testing")]
    pub(crate) fn time_stages(&self, warm_up: std::time::Duration, runs: usize) -> Result<Vec<(String, f64)>> {
        let timer = crate::gpu::PassTimer::new(&self.gpu)?;
        let record = |at: usize, pass: &mut wgpu::ComputePass<'_>| self.stages[at].record(pass);
        let samples = timer.measure_each(warm_up, runs, self.stages.len(), record)?;
        let names = self.stages.iter().map(|stage| stage.kernel.name.clone());
        Ok(names.zip(samples.iter().map(crate::gpu::Samples::median)).collect())
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

/// Ties dispatches to buffers; `permutation` says how a kernel is made for how the rows are reached, and
/// whether the inputs have to be writable.
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

/// As [`bind`], with what is written beside the output.
pub(crate) fn bind_with<T: Real, K: Copy>(
    gpu: &Gpu,
    shape: &Shape,
    program: &Program<K>,
    scratch: &[wgpu::Buffer],
    vectors: &Vectors<'_, T>,
    beside: &[Vector<'_, T>],
    permutation: impl Fn(K, RowAccess, bool) -> Permutation,
) -> Result<Bound> {
    gpu.alive()?;
    vectors.check(gpu)?;
    for written in beside {
        vectors.check_beside(gpu, written)?;
    }
    let rows = vectors.access(gpu, shape);
    let vector = rows != RowAccess::Scalar;
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let trouble = gpu.allocate("status words", 8, usage)?;
    gpu.guarded("status words", 8, || gpu.queue().write_buffer(&trouble, 0, bytemuck::bytes_of(&[NONE; 2])))?;
    let writable_inputs = vectors.writable_inputs(beside);
    let mut stages = Vec::with_capacity(program.steps.len());
    for step in &program.steps {
        let permutation = permutation(step.kernel, rows, writable_inputs);
        let params = gpu.uniform("parameters", bytemuck::bytes_of(&step.params))?;
        let mut bindings = vec![(0, whole_buffer(&params))];
        for slot in &step.slots {
            match *slot {
                Slot::Inputs => bindings.extend((1..).zip(vectors.inputs.iter().map(|input| input.binding(vector)))),
                Slot::Input(at) => bindings.push((at as u32 + 1, vectors.inputs[at].binding(vector))),
                Slot::InputAt { binding, index } => bindings.push((binding, vectors.inputs[index].binding(vector))),
                Slot::Trouble => bindings.push((5, whole_buffer(&trouble))),
                Slot::Output => bindings.push((6, vectors.output.binding(vector))),
                Slot::Beside { binding, index } => bindings.push((binding, beside[index].binding(vector))),
                Slot::Scratch { binding, index } => bindings.push((binding, whole_buffer(&scratch[index]))),
            }
        }
        stages.push(Stage::new(gpu, &permutation.to_string(), gpu.kernel(&permutation)?, &bindings, step.workgroups)?);
    }
    Ok(Bound { gpu: gpu.clone(), stages, trouble, rows: shape.n, columns: shape.columns })
}
