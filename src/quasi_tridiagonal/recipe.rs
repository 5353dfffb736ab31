//! The steps of a solve, in order: the memory and the phase of each.

use super::kernels::{Phase, QuasiKernel, QuasiParams, StepSettings, WORKGROUP};
use crate::plan::Params;
use crate::precision::Precision;
use crate::shader::Permutation;

/// The memory of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    Control,
    Partial,
    /// The scalars of a cycle.
    Numbers,
    /// The scalars of the solve, in its precision.
    OuterNumbers,
    History,
    Faults,
    /// Powers of two that scale the rows.
    RowScales,
    Tri(Matrix),
    Index(Matrix),
    Off(Matrix),
    /// Rows by colours: their places and entries.
    ColourIndex,
    ColourOff,
    /// The factors of BHISA's blocks.
    Factors,
    /// Between passes over slices of T.
    Scratch(usize),
    Vector(Vector),
    /// The caller's.
    Rhs,
    Guess,
    X,
}

/// One of the solve's matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Matrix {
    /// The matrix of the iteration.
    Own,
    /// Its transpose.
    Transposed,
    /// The matrix of the solve, if it has another precision.
    Outer,
}

/// A vector of the plan: its place, and whether it has the solve's precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Vector {
    pub at: usize,
    pub outer: bool,
}

/// One dispatch.
#[derive(Debug, Clone)]
pub struct Step {
    pub kernel: QuasiKernel,
    pub outer: bool,
    pub phases: [Phase; 2],
    pub params: QuasiParams,
    pub workgroups: u64,
    pub bindings: Vec<(u32, Memory)>,
}

/// A recorded item.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Step(Step),
    /// T z = r with T of a matrix.
    Tridiagonal {
        matrix: Matrix,
        r: Vector,
        z: Vector,
    },
    /// A dispatch between two passes over slices of T.
    Level(Level),
}

/// A dispatch of the partition's levels above the rows. It runs in any phase.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    pub permutation: Permutation,
    pub params: Params,
    pub workgroups: u64,
    /// Scratch buffers by binding.
    pub bindings: Vec<(u32, usize)>,
}

/// Sizes of a matrix for a recipe.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sizes {
    pub columns_at: usize,
    pub pieces_at: usize,
    /// Pieces of each level of long rows.
    pub levels: [u32; 4],
}

/// Collects the steps of a section.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub precision: Precision,
    pub outer: Precision,
    /// Of the matrix and of the options.
    pub params: QuasiParams,
    pub own: Sizes,
    pub transposed: Sizes,
    pub rounds: u32,
    pub decision_threads: u32,
    pub items: Vec<Item>,
    /// The last number of workgroups that wrote sums.
    partials: u32,
    pub vectors: Vec<Vector>,
    /// Scalars of a cycle.
    pub numbers: usize,
}

impl Recipe {
    pub fn new(precisions: [Precision; 2], params: QuasiParams, sizes: [Sizes; 2], decision_threads: u32) -> Self {
        // A decision reads one number per workgroup: this limits the workgroups.
        let rounds = if params.quads > 1 << 18 { 4 } else { 1 };
        let [precision, outer] = precisions;
        let [own, transposed] = sizes;
        Self {
            precision,
            outer,
            params,
            own,
            transposed,
            rounds,
            decision_threads,
            items: vec![],
            partials: 0,
            vectors: vec![],
            numbers: 16,
        }
    }

    pub fn vector(&mut self) -> Vector {
        self.new_vector(false)
    }

    /// A vector in the solve's precision, or in that of the iteration.
    pub fn new_vector(&mut self, outer: bool) -> Vector {
        let made = Vector { at: self.vectors.len(), outer };
        self.vectors.push(made);
        made
    }

    fn sizes(&self, matrix: Matrix) -> Sizes {
        if matrix == Matrix::Transposed { self.transposed } else { self.own }
    }

    /// A dispatch over all rows, or a decision, in a phase; memory by its bindings.
    pub fn push(&mut self, phase: Phase, kernel: QuasiKernel, bindings: &[(u32, Memory)]) {
        self.push_at(phase, kernel, bindings, |_| {});
    }

    /// The same, with changes to its parameters.
    pub fn push_at(
        &mut self,
        phase: Phase,
        kernel: QuasiKernel,
        bindings: &[(u32, Memory)],
        special: impl Fn(&mut QuasiParams),
    ) {
        self.push_any([phase, phase], false, kernel, bindings, special);
    }

    /// The same in the solve's precision.
    pub fn push_outer(&mut self, phase: Phase, kernel: QuasiKernel, bindings: &[(u32, Memory)]) {
        self.push_any([phase, phase], true, kernel, bindings, |_| {});
    }

    pub fn push_any(
        &mut self,
        phases: [Phase; 2],
        outer: bool,
        kernel: QuasiKernel,
        bindings: &[(u32, Memory)],
        special: impl Fn(&mut QuasiParams),
    ) {
        let mut params = self.params;
        let mut all = vec![];
        if !matches!(kernel, QuasiKernel::Largest { .. }) {
            all.push((1, Memory::Control));
        }
        params.workgroups = if kernel.is_decision() { 1 } else { params.quads.div_ceil(WORKGROUP * self.rounds) };
        special(&mut params);
        if kernel.is_decision() {
            params.partials = self.partials;
            all.push((2, Memory::Partial));
        }
        if kernel.sums() > 0 {
            self.partials = params.workgroups;
            all.push((2, Memory::Partial));
        }
        all.extend_from_slice(bindings);
        let workgroups = params.workgroups.into();
        self.items.push(Item::Step(Step { kernel, outer, phases, params, workgroups, bindings: all }));
    }

    /// The pieces of long rows of x, before x is multiplied.
    pub fn gather_pieces(&mut self, phase: Phase, matrix: Matrix, x: Vector) {
        let Sizes { columns_at, pieces_at, levels } = self.sizes(matrix);
        let piece = super::split::PIECE as u32;
        let mut first = 0;
        for count in levels.into_iter().filter(|&count| count > 0) {
            let bindings = [(4, Memory::Index(matrix)), (5, Memory::Off(matrix)), (6, Memory::Vector(x))];
            let kernel = QuasiKernel::LongRows { piece };
            self.push_any([phase, phase], x.outer, kernel, &bindings, |params| {
                params.first = first;
                params.count = pieces_at as u32 / 4;
                params.columns_at = columns_at as u32 / 4;
                params.workgroups = count;
            });
            first += count;
        }
    }

    /// A kernel that multiplies x (6) by a matrix (3 to 5); the rest by its bindings.
    pub fn multiply(&mut self, phase: Phase, kernel: QuasiKernel, matrix: Matrix, x: Vector, rest: &[(u32, Memory)]) {
        self.multiply_at(phase, kernel, matrix, x, rest, |_| {});
    }

    pub fn multiply_at(
        &mut self,
        phase: Phase,
        kernel: QuasiKernel,
        matrix: Matrix,
        x: Vector,
        rest: &[(u32, Memory)],
        special: impl Fn(&mut QuasiParams),
    ) {
        self.gather_pieces(phase, matrix, x);
        let columns_at = self.sizes(matrix).columns_at;
        let mut bindings = vec![
            (3, Memory::Tri(matrix)),
            (4, Memory::Index(matrix)),
            (5, Memory::Off(matrix)),
            (6, Memory::Vector(x)),
        ];
        bindings.extend_from_slice(rest);
        self.push_any([phase, phase], x.outer, kernel, &bindings, |params| {
            params.columns_at = columns_at as u32 / 4;
            special(params);
        });
    }

    /// The collected steps.
    pub fn take(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.items)
    }

    /// A step's kernel.
    pub fn permutation(&self, step: &Step) -> Permutation {
        let form = StepSettings { phases: step.phases, rounds: self.rounds, decision_threads: self.decision_threads };
        step.kernel.permutation(if step.outer { self.outer } else { self.precision }, form)
    }
}
