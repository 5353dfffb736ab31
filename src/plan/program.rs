//! The dispatches of an algorithm for a shape, and the scratch between them.

use std::borrow::Cow;
use std::sync::Arc;

use super::params::Params;
use crate::error::Result;
use crate::gpu::{CompiledKernel, Gpu};
use crate::shader::Permutation;

/// The resource of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// All inputs, from binding 1 on (for a tridiagonal system lower, diag, upper, rhs).
    Inputs,
    /// One input, at its own binding.
    Input(usize),
    /// One input, at another binding.
    InputAt { binding: u32, index: usize },
    /// Bytes of one input, at a binding.
    InputPart { binding: u32, index: usize, offset: u64, bytes: u64 },
    /// A texture that formulas read, at a binding.
    Texture { binding: u32, index: usize },
    /// The status words, at 5.
    Status,
    /// The output, at 6.
    Output,
    /// A vector written beside the output, at a binding.
    Beside { binding: u32, index: usize },
    /// A scratch buffer at a binding: storage, or a uniform if the kernel declares one.
    Scratch { binding: u32, index: usize },
}

/// One dispatch of a family's kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Step<K, P = Params> {
    pub kernel: K,
    pub params: P,
    pub workgroups: u64,
    pub slots: Vec<Slot>,
    /// The buffer from which the device reads the final number of workgroups: none, or all.
    pub indirect: Option<IndirectArgs>,
}

/// The grid of an indirect dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndirectArgs {
    pub scratch: usize,
    /// Offset in bytes.
    pub offset: u64,
}

/// A buffer between dispatches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scratch {
    pub bytes: u64,
    /// Contents before the first solve, if they matter.
    pub initial: Option<Initial>,
}

/// Initial contents of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Initial {
    /// This value in every byte.
    Byte(u8),
    All(Vec<u8>),
}

/// Dispatches in order, and the scratch buffers.
#[derive(Debug, Clone)]
pub struct Program<K, P = Params> {
    pub steps: Vec<Step<K, P>>,
    /// Replaces these dispatches if the output replaces an input.
    pub in_place: Option<Vec<Step<K, P>>>,
    pub scratch: Vec<Scratch>,
    /// Number of first steps that depend on the matrix alone.
    pub once: usize,
    /// The part of `values_per_row` for these steps.
    pub values_once: f64,
    /// Device memory read and written per row of one problem, in numbers.
    pub values_per_row: f64,
}

impl<K, P> Default for Program<K, P> {
    fn default() -> Self {
        Self { steps: vec![], in_place: None, scratch: vec![], once: 0, values_once: 0.0, values_per_row: 0.0 }
    }
}

impl<K> Program<K> {
    /// Adds a dispatch of `workgroups` workgroups, whose kernel reads this number too.
    pub fn push(&mut self, kernel: impl Into<K>, params: Params, workgroups: u64, slots: &[Slot]) {
        let params = Params { workgroups: workgroups as u32, ..params };
        self.steps.push(Step { kernel: kernel.into(), params, workgroups, slots: slots.to_vec(), indirect: None });
    }
}

impl<K: Clone, P: Clone> Program<K, P> {
    /// With the dispatches in place for every output, if there are some.
    pub fn as_in_place(&self) -> Cow<'_, Self> {
        match &self.in_place {
            Some(steps) => Cow::Owned(Self { steps: steps.clone(), ..self.clone() }),
            None => Cow::Borrowed(self),
        }
    }

    /// Takes over another program's scratch; returns its dispatches with this scratch, and those in place.
    pub fn adopt(&mut self, other: Self) -> Adopted<K, P> {
        let before = self.scratch.len();
        self.scratch.extend(other.scratch);
        let moved = |steps: Vec<Step<K, P>>| steps.into_iter().map(|step| step.moved(before)).collect();
        Adopted { steps: moved(other.steps), in_place: other.in_place.map(moved) }
    }
}

/// The dispatches taken over from another program.
pub struct Adopted<K, P> {
    pub steps: Vec<Step<K, P>>,
    pub in_place: Option<Vec<Step<K, P>>>,
}

impl<K, P> Step<K, P> {
    /// The same with `before` buffers in front of its scratch.
    fn moved(self, before: usize) -> Self {
        let slot = |slot| match slot {
            Slot::Scratch { binding, index } => Slot::Scratch { binding, index: before + index },
            other => other,
        };
        let indirect = self.indirect.map(|args| IndirectArgs { scratch: before + args.scratch, ..args });
        Self { slots: self.slots.into_iter().map(slot).collect(), indirect, ..self }
    }
}

impl<K, P> Program<K, P> {
    pub fn scratch(&mut self, bytes: u64) -> usize {
        self.scratch.push(Scratch { bytes, initial: None });
        self.scratch.len() - 1
    }

    /// Scratch with contents that last from solve to solve.
    pub fn kept_scratch(&mut self, bytes: u64, initial: u8) -> usize {
        self.scratch.push(Scratch { bytes, initial: Some(Initial::Byte(initial)) });
        self.scratch.len() - 1
    }

    /// Scratch with these initial values; they stay the same unless kernels write them.
    pub fn constants<V: bytemuck::NoUninit>(&mut self, values: &[V]) -> usize {
        let contents: &[u8] = bytemuck::cast_slice(values);
        let initial = Some(Initial::All(contents.to_vec()));
        self.scratch.push(Scratch { bytes: contents.len() as u64, initial });
        self.scratch.len() - 1
    }

    /// A plan's kernels, and its scratch. The first submission to a device takes as long as compiling kernels that the driver knows, so they run
    /// side by side.
    pub(crate) fn prepare(
        &self,
        gpu: &Gpu,
        permutations: &[Permutation],
    ) -> Result<(Vec<Arc<CompiledKernel>>, Vec<wgpu::Buffer>)>
    where
        Self: Sync,
    {
        gpu.kernels_beside(permutations, || self.allocate(gpu))
    }

    /// Device memory for the scratch.
    pub fn allocate(&self, gpu: &Gpu) -> Result<Vec<wgpu::Buffer>> {
        let buffer = |Scratch { bytes, initial }: &Scratch| {
            let bytes = *bytes;
            // Buffers with initial contents may hold grids, verdicts for the host to read, or constants.
            let grids = match initial {
                Some(_) => wgpu::BufferUsages::INDIRECT | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::UNIFORM,
                None => wgpu::BufferUsages::empty(),
            };
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | grids;
            let buffer = gpu.allocate("scratch", bytes, usage)?;
            if let Some(initial) = initial {
                let contents = match initial {
                    Initial::Byte(byte) => &vec![*byte; buffer.size() as usize],
                    Initial::All(contents) => contents,
                };
                gpu.guarded("an upload", bytes, || {
                    gpu.queue().write_buffer(&buffer, 0, contents);
                    // wgpu keeps the contents until the next submission: plans that run nothing would fill the memory.
                    gpu.queue().submit([]);
                })?;
            }
            Ok(buffer)
        };
        self.scratch.iter().map(buffer).collect()
    }

    /// Fills the scratch with NaN, which exposes reads of unwritten values.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn poison(&self, gpu: &Gpu, buffers: &[wgpu::Buffer]) {
        let own = |scratch: &&Scratch| scratch.initial.is_none();
        for (_, buffer) in self.scratch.iter().zip(buffers).filter(|(scratch, _)| own(scratch)) {
            gpu.queue().write_buffer(buffer, 0, &vec![0xff; buffer.size() as usize]);
        }
    }
}
