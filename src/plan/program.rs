//! The dispatches of an algorithm for a shape, and the scratch between them.

use std::borrow::Cow;
use std::sync::Arc;

use super::shape::Shape;
use crate::error::Result;
use crate::gpu::{CompiledKernel, Gpu};
use crate::shader::{Permutation, uniform_struct};

uniform_struct! {
    /// Parameters of a dispatch for kernels of tridiagonal systems and recurrences (`shaders/shared/problem.wgsl`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Params {
        pub n: u32,
        pub problems: u32,
        pub columns: u32,
        pub flags: u32,
        pub element_stride: u32,
        pub system_stride: u32,
        pub group: u32,
        pub group_stride: u32,
        pub right_element_stride: u32,
        pub right_system_stride: u32,
        pub right_group: u32,
        pub right_group_stride: u32,
        pub column_stride: u32,
        pub lower_offset: u32,
        pub diag_offset: u32,
        pub upper_offset: u32,
        pub rhs_offset: u32,
        pub x_offset: u32,
        pub slices: u32,
        pub children: u32,
        pub workgroups: u32,
        pub steps: u32,
        pub rows_out: u32,
        pub log_chunks: u32,
        /// Always 0, but opaque to the compiler; used by `rounded`.
        pub zero: u32,
        pub blocks: u32,
        pub segments: u32,
        pub segment_slices: u32,
        pub packed_rows: u32,
        pub packed_problems: u32,
        pub slice_rows: u32,
        pub overlap_rows: u32,
    }
}

/// Parameters of dispatches. Kernels may add the offset of a vector in its binding.
pub(crate) trait Offsets: bytemuck::Pod {
    /// The same with this number of entries before the vector at a binding. By default kernels add none, and there are none.
    fn with_offset(self, binding: u32, entries: u32) -> Self {
        debug_assert_eq!(entries, 0, "before the vector at {binding}");
        self
    }
}

impl Offsets for Params {
    fn with_offset(self, binding: u32, entries: u32) -> Self {
        match binding {
            1 => Self { lower_offset: entries, ..self },
            2 => Self { diag_offset: entries, ..self },
            3 => Self { upper_offset: entries, ..self },
            4 => Self { rhs_offset: entries, ..self },
            _ => Self { x_offset: entries, ..self },
        }
    }
}

const SYSTEMS_FIRST: u32 = 1;
const NEIGHBOURS: u32 = 2;
const COLUMNS: u32 = 4;
const GROUPS: u32 = 8;
const RIGHT_GROUPS: u32 = 16;

impl Params {
    /// The parameters of the shape. The plan has checked that every number fits.
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
        let right = shape.right_layout();
        if right.group < shape.batch {
            flags |= RIGHT_GROUPS;
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
            right_element_stride: right.element_stride as u32,
            right_system_stride: right.system_stride as u32,
            right_group: right.group.min(shape.batch) as u32,
            right_group_stride: right.group_stride as u32,
            column_stride: shape.column_stride as u32,
            lower_offset: 0,
            diag_offset: 0,
            upper_offset: 0,
            rhs_offset: 0,
            x_offset: 0,
            log_chunks: 0,
            zero: 0,
            slices: 1,
            children: 0,
            workgroups: 0,
            steps: 0,
            rows_out: 0,
            blocks: 0,
            segments: 1,
            segment_slices: 1,
            packed_rows: 0,
            packed_problems: 0,
            slice_rows: 0,
            overlap_rows: 0,
        }
    }

    /// Problems one behind the other without gaps, taken as one, for kernels that begin anew at the first row of each
    /// (`shaders/shared/head.wgsl`). `None` for a single problem, and for
    /// other layouts.
    pub fn packed(&self) -> Option<Self> {
        let without_gaps = self.element_stride == 1
            && self.system_stride == self.n
            && self.columns == 1
            && !self.has_own_right()
            && (self.flags & GROUPS == 0 || self.group.checked_mul(self.n) == Some(self.group_stride));
        let n = self.n.checked_mul(self.problems).filter(|_| without_gaps && self.problems > 1)?;
        let Self { n: packed_rows, problems: packed_problems, .. } = *self;
        let flags = self.flags & !(GROUPS | RIGHT_GROUPS);
        Some(Self { n, problems: 1, flags, group: 1, right_group: 1, packed_rows, packed_problems, ..*self })
    }

    /// For problems one after the other, in scratch.
    pub fn contiguous(n: u32, problems: u32) -> Self {
        Self::new(&Shape::contiguous(n as usize, problems as usize))
    }

    /// Whether neighbouring problems lie closer than neighbouring rows in `rhs` and `x`.
    pub fn systems_first(&self) -> bool {
        self.flags & SYSTEMS_FIRST != 0
    }

    /// Whether right-hand sides and solutions have a layout of their own.
    pub fn has_own_right(&self) -> bool {
        let of_matrix = (self.element_stride, self.system_stride, self.group, self.group_stride);
        let of_right = (self.right_element_stride, self.right_system_stride, self.right_group, self.right_group_stride);
        of_matrix != of_right
    }

    /// One problem per system instead of per right-hand side, for work that depends on the matrix alone; a right-hand side lies as the matrix.
    pub fn of_matrix(self) -> Self {
        let mut flags = self.flags & !(COLUMNS | RIGHT_GROUPS | SYSTEMS_FIRST);
        if flags & GROUPS != 0 {
            flags |= RIGHT_GROUPS;
        }
        let problems = self.batch();
        if problems > 1 && self.group > 1 && self.system_stride < self.element_stride {
            flags |= SYSTEMS_FIRST;
        }
        Self {
            problems,
            flags,
            right_element_stride: self.element_stride,
            right_system_stride: self.system_stride,
            right_group: self.group,
            right_group_stride: self.group_stride,
            ..self
        }
    }

    /// A coarse system of n rows per problem, numbered in the same way, one after the other.
    pub fn coarse(&self, n: u32) -> Self {
        let columns = if self.flags & COLUMNS != 0 { 1 } else { self.columns };
        Self { columns, ..Self::contiguous(n, self.problems) }
    }

    /// Number of systems, for problems that are systems or right-hand sides.
    fn batch(&self) -> u32 {
        if self.flags & COLUMNS != 0 { self.problems / self.columns } else { self.problems }
    }

    /// Entries that one diagonal of all systems spans.
    pub fn matrix_len(&self) -> u64 {
        self.span([self.element_stride, self.system_stride, self.group_stride], self.group)
    }

    /// Entries that one vector of all systems spans, by the strides of its rows, systems and groups.
    fn span(&self, strides: [u32; 3], group: u32) -> u64 {
        let counts = [self.n, group, self.batch().div_ceil(group)];
        let reach = |(count, stride): (u32, u32)| u64::from(count - 1) * u64::from(stride);
        counts.into_iter().zip(strides).map(reach).sum::<u64>() + 1
    }

    /// Entries that the right-hand sides of all problems span.
    pub fn rhs_len(&self) -> u64 {
        let columns = if self.flags & COLUMNS != 0 { self.columns } else { 1 };
        let strides = [self.right_element_stride, self.right_system_stride, self.right_group_stride];
        self.span(strides, self.right_group) + u64::from(columns - 1) * u64::from(self.column_stride)
    }

    /// The same with or without the flag that neighbouring rows are read too.
    pub fn with_neighbours(self, yes: bool) -> Self {
        Self { flags: if yes { self.flags | NEIGHBOURS } else { self.flags & !NEIGHBOURS }, ..self }
    }
}

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
