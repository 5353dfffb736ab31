//! What an algorithm makes of a shape: dispatches in order, and the scratch between them.

use super::shape::Shape;
use crate::error::Result;
use crate::gpu::Gpu;

/// The kernels' `Params`, field by field.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct Params {
    pub n: u32,
    pub problems: u32,
    pub columns: u32,
    pub flags: u32,
    pub element_stride: u32,
    pub system_stride: u32,
    pub group: u32,
    pub group_stride: u32,
    pub column_stride: u32,
    pub slices: u32,
    pub children: u32,
    pub workgroups: u32,
    pub steps: u32,
    pub rows_out: u32,
    pub log_chunks: u32,
    /// What compilers do not know to be 0.
    pub zero: u32,
}

const SYSTEMS_FIRST: u32 = 1;
const NEIGHBOURS: u32 = 2;
const COLUMNS: u32 = 4;
const GROUPS: u32 = 8;

impl Params {
    /// The shape's part. The plan has checked that every number fits.
    pub fn new(shape: &Shape) -> Self {
        let mut flags = 0;
        if shape.systems_first() {
            flags |= SYSTEMS_FIRST;
        }
        if shape.columns > 1 {
            flags |= COLUMNS;
        }
        if shape.layout.group < shape.batch {
            flags |= GROUPS;
        }
        Self {
            n: shape.n as u32,
            problems: shape.problems() as u32,
            columns: shape.columns as u32,
            flags,
            element_stride: shape.layout.element_stride as u32,
            system_stride: shape.layout.system_stride as u32,
            group: shape.layout.group.min(shape.batch) as u32,
            group_stride: shape.layout.group_stride as u32,
            column_stride: shape.column_stride as u32,
            log_chunks: 0,
            zero: 0,
            slices: 1,
            children: 0,
            workgroups: 0,
            steps: 0,
            rows_out: 0,
        }
    }

    /// Of so many problems one behind the other, in scratch.
    pub fn contiguous(n: u32, problems: u32) -> Self {
        Self::new(&Shape::contiguous(n as usize, problems as usize))
    }

    pub fn systems_first(&self) -> bool {
        self.flags & SYSTEMS_FIRST != 0
    }

    /// Systems instead of right-hand sides, for what all of a system have in common.
    pub fn of_matrix(self) -> Self {
        Self { problems: self.problems / self.columns, flags: self.flags & !COLUMNS, ..self }
    }

    /// Entries that a diagonal of all systems spans.
    pub fn matrix_len(&self) -> u64 {
        let batch = self.problems / self.columns;
        let reach = |count: u32, stride: u32| u64::from(count - 1) * u64::from(stride);
        let groups = batch.div_ceil(self.group);
        reach(self.n, self.element_stride)
            + reach(self.group, self.system_stride)
            + reach(groups, self.group_stride)
            + 1
    }

    pub fn with_neighbours(self, yes: bool) -> Self {
        Self { flags: if yes { self.flags | NEIGHBOURS } else { self.flags & !NEIGHBOURS }, ..self }
    }
}

/// What a binding is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// All inputs, from binding 1 on (of a tridiagonal system lower, diag, upper, rhs).
    Inputs,
    /// One of them, at its binding.
    Input(usize),
    /// One of them, at another.
    InputAt { binding: u32, index: usize },
    /// Bytes of one of them, at a binding.
    InputPart { binding: u32, index: usize, offset: u64, bytes: u64 },
    /// The trouble words, at 5.
    Trouble,
    /// The output, at 6.
    Output,
    /// What is written beside the output, at a binding.
    Beside { binding: u32, index: usize },
    /// A scratch buffer at a binding.
    Scratch { binding: u32, index: usize },
}

/// One dispatch of a family's kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Step<K, P = Params> {
    pub kernel: K,
    pub params: P,
    pub workgroups: u64,
    pub slots: Vec<Slot>,
    /// Where the device says how many there are in the end; none, or all.
    pub given: Option<Given>,
}

/// The grid of an indirect dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Given {
    pub scratch: usize,
    /// Bytes.
    pub offset: u64,
}

/// A buffer between dispatches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scratch {
    pub bytes: u64,
    /// What has to be there before the first solve, where that matters.
    pub initial: Option<Initial>,
}

/// What a buffer begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Initial {
    /// In every byte.
    Byte(u8),
    All(Vec<u8>),
}

/// Dispatches in order, and the scratch buffers.
#[derive(Debug, Clone)]
pub(crate) struct Program<K, P = Params> {
    pub steps: Vec<Step<K, P>>,
    /// Instead of those, where the output lies over an input.
    pub in_place: Option<Vec<Step<K, P>>>,
    pub scratch: Vec<Scratch>,
    /// Device memory read and written for a row of one problem, in numbers.
    pub values_per_row: f64,
}

impl<K, P> Default for Program<K, P> {
    fn default() -> Self {
        Self { steps: vec![], in_place: None, scratch: vec![], values_per_row: 0.0 }
    }
}

impl<K> Program<K> {
    /// A dispatch of so many workgroups, which its kernel learns of as well.
    pub fn push(&mut self, kernel: impl Into<K>, params: Params, workgroups: u64, slots: &[Slot]) {
        let params = Params { workgroups: workgroups as u32, ..params };
        self.steps.push(Step { kernel: kernel.into(), params, workgroups, slots: slots.to_vec(), given: None });
    }
}

impl<K: Clone, P: Clone> Program<K, P> {
    /// Takes over another's scratch; its dispatches with that.
    pub fn adopt(&mut self, other: Self) -> Vec<Step<K, P>> {
        let before = self.scratch.len();
        self.scratch.extend(other.scratch);
        let moved = |slot| match slot {
            Slot::Scratch { binding, index } => Slot::Scratch { binding, index: before + index },
            other => other,
        };
        let steps = other.steps.into_iter();
        steps.map(|step| Step { slots: step.slots.into_iter().map(moved).collect(), ..step }).collect()
    }
}

impl<K, P> Program<K, P> {
    pub fn scratch(&mut self, bytes: u64) -> usize {
        self.scratch.push(Scratch { bytes, initial: None });
        self.scratch.len() - 1
    }

    /// Scratch that keeps something from solve to solve.
    pub fn kept_scratch(&mut self, bytes: u64, initial: u8) -> usize {
        self.scratch.push(Scratch { bytes, initial: Some(Initial::Byte(initial)) });
        self.scratch.len() - 1
    }

    /// What begins with such values: the same in every solve, unless kernels write them.
    pub fn constants<V: bytemuck::NoUninit>(&mut self, values: &[V]) -> usize {
        let contents: &[u8] = bytemuck::cast_slice(values);
        let initial = Some(Initial::All(contents.to_vec()));
        self.scratch.push(Scratch { bytes: contents.len() as u64, initial });
        self.scratch.len() - 1
    }

    /// Device memory for the scratch.
    pub fn allocate(&self, gpu: &Gpu) -> Result<Vec<wgpu::Buffer>> {
        let buffer = |Scratch { bytes, initial }: &Scratch| {
            let bytes = *bytes;
            // What begins with something may hold grids.
            let grids = if initial.is_some() { wgpu::BufferUsages::INDIRECT } else { wgpu::BufferUsages::empty() };
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | grids;
            let buffer = gpu.allocate("scratch", bytes, usage)?;
            if let Some(initial) = initial {
                let contents = match initial {
                    Initial::Byte(byte) => &vec![*byte; buffer.size() as usize],
                    Initial::All(contents) => contents,
                };
                gpu.guarded("an upload", bytes, || gpu.queue().write_buffer(&buffer, 0, contents))?;
            }
            Ok(buffer)
        };
        self.scratch.iter().map(buffer).collect()
    }

    /// Fills the scratch with NaN, so that a read of what nothing wrote shows.
    #[cfg(feature = "testing")]
    pub fn poison(&self, gpu: &Gpu, buffers: &[wgpu::Buffer]) {
        let own = |scratch: &&Scratch| scratch.initial.is_none();
        for (_, buffer) in self.scratch.iter().zip(buffers).filter(|(scratch, _)| own(scratch)) {
            gpu.queue().write_buffer(buffer, 0, &vec![0xff; buffer.size() as usize]);
        }
    }
}
