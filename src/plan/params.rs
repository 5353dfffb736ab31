//! Parameters of dispatches: sizes, strides and offsets of the vectors.

use super::access::Vector;
use super::shape::Shape;
use crate::gpu::Gpu;
use crate::real::Stored;
use crate::shader::uniform_struct;

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

    /// The same with the entries before each of these vectors, given with their bindings.
    fn with_offsets<T: Stored>(self, gpu: &Gpu, placed: &[(u32, &Vector<'_, T>)]) -> Self {
        placed.iter().fold(self, |params, (binding, vector)| params.with_offset(*binding, vector.entries_before(gpu)))
    }
}

impl Offsets for Params {
    fn with_offset(self, binding: u32, entries: u32) -> Self {
        match binding {
            1 => Self { lower_offset: entries, ..self },
            2 => Self { diag_offset: entries, ..self },
            3 => Self { upper_offset: entries, ..self },
            4 => Self { rhs_offset: entries, ..self },
            6 => Self { x_offset: entries, ..self },
            _ => self,
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
