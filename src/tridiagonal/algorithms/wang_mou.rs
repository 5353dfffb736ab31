//! Wang and Mou's method (`shaders/tridiagonal/wang_mou*.wgsl`).

#[cfg(feature = "internals")]
use super::partition::BLOCKS;
use super::partition::kernels::Neighbours;
use super::partition::{PartitionPolicy, Passes, Slicing, slicing, two_passes};
use super::{Divide, PlanRequest, WORKGROUPS};
use crate::error::Result;
use crate::plan::{OFF_ON, Slot, Tree, check_workgroup, policy};
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Assembly, Kernel, Program, Properties};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::{Gate, all};

/// Rows that a thread may take.
pub const ROWS: [u32; 3] = [1, 2, 4];

policy! {
    /// How [`Algorithm::WangMou`](super::Algorithm::WangMou) divides its work.
    ///
    /// X. Wang, Z. G. Mou, "A divide-and-conquer method of solving tridiagonal systems on hypercube massively parallel computers", SPDP
    /// 1991; in slices as in A. P. Diéguez, M. Amor, J. Lobeiras and R. Doallo (IEEE Transactions on Computers 67, 2018).
    /// [`cpu::wang_mou`](mod@crate::cpu::wang_mou) is the method on the CPU; `tests/tree_partitioning.rs` follows the example below.
    ///
    /// Every element is a triad: the first row of its block, its own row, and the last row of its block, each in terms of the two unknowns
    /// beside the block. A step eliminates the two unknowns between neighbouring blocks from the triads of both blocks, so blocks double.
    /// In the paper's example N = 16, unknowns count from 1. The table lists the unknowns that the own rows of block 5 to 8 couple:
    ///
    /// | step | blocks | own rows |
    /// | --- | --- | --- |
    /// | 0 | of 1 | {4 5 6} {5 6 7} {6 7 8} {7 8 9} |
    /// | 1 | of 2 | {4 5 7} {4 6 7} {6 7 9} {6 8 9} |
    /// | 2 | of 4 | {4 5 9} {4 6 9} {4 7 9} {4 8 9} |
    /// | 3 | of 8 | {5 9} {6 9} {7 9} {8 9} |
    /// | 4 | of 16 | {5} {6} {7} {8} |
    ///
    /// After log2 N steps an own row holds its unknown alone: no substitution follows. A thread has 1, 2 or 4 rows, which share the other
    /// two rows of their block. Steps within a subgroup use shuffles; later steps use workgroup memory. A system larger than a workgroup is
    /// divided into slices (S = 4: the first two steps in the table). Their rows are kept, each in terms of the two unknowns beside its
    /// slice. The slices' blocks give these unknowns as in the partition, and a second pass substitutes them: 44 bytes per row in f32, 20
    /// if a system is one slice.
    WangMouPolicy {
        /// Threads per workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Rows per thread.
        rows: u32 in &ROWS;
        /// The first steps use shuffles, if there are subgroups and rows lie closer than systems.
        shuffles: bool in OFF_ON;
        /// In the second pass every slice merges the blocks of all slices itself, if they are few; this replaces a dispatch between the
        /// passes that does it once.
        gather: bool in OFF_ON;
    }
}

/// Neighbouring systems per workgroup, if systems lie closer than rows.
const SYSTEMS_ABREAST: u32 = 16;

impl Divide for WangMouPolicy {
    /// Rows per thread as one load brings; a workgroup large enough for small systems as a whole.
    fn default_for(request: &PlanRequest<'_>) -> Self {
        let rows = if request.precision == Precision::F32 { ROWS[2] } else { ROWS[1] };
        let workgroup = if request.params.n <= 1024 { 256 } else { 128 };
        Self { workgroup, rows, shuffles: true, gather: true }
    }

    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, precision, params, .. } = request;
        let Self { workgroup, rows, shuffles, gather } = self;
        check_workgroup(capabilities, "the workgroup of Wang and Mou's policy", workgroup)?;
        let mut program = Program::default();
        // The partition provides the slices and the levels above them.
        let division = PartitionPolicy {
            workgroup,
            rows,
            lanes: SYSTEMS_ABREAST.min(workgroup / 4),
            shuffles,
            gather,
            together: 0,
        };
        let base = slicing(capabilities, precision, &params, division);
        let Slicing { tree, slices } = base;
        let (here, workgroups) = base.params(&params);
        program.values_per_row = 5.0;
        if slices == 1 {
            let slots = [Slot::Inputs, Slot::Status, Slot::Output];
            program.push(WangMouKernel::Whole { rows, tree }, here, workgroups, &slots);
            return Ok(program);
        }
        program.values_per_row = 11.0 + 30.0 / f64::from(tree.chunks() * rows);
        let kept = workgroups * u64::from(tree.workgroup * rows) * 3 * precision.bytes();
        let kept = Slot::Scratch { binding: 8, index: program.scratch(kept) };
        let reduce = WangMouKernel::Reduce { rows, tree };
        let solve = |neighbours| WangMouKernel::Substitute { rows, tree, neighbours };
        let passes = Passes { reduce, solve, kept: Some(kept) };
        two_passes(&mut program, capabilities, precision, &params, division, base, passes);
        Ok(program)
    }
}

parts! {
    WANG_MOU_MEMORY = "tridiagonal/wang_mou_memory";
    WANG_MOU_SHUFFLES = "tridiagonal/wang_mou_shuffles";
    WANG_MOU = "tridiagonal/wang_mou";
    WANG_MOU_REDUCE = "tridiagonal/wang_mou_reduce";
    WANG_MOU_SUBSTITUTE = "tridiagonal/wang_mou_substitute";
}

/// The kernels; `rows` per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WangMouKernel {
    /// Systems that are one slice.
    Whole {
        rows: u32,
        tree: Tree,
    },
    Reduce {
        rows: u32,
        tree: Tree,
    },
    Substitute {
        rows: u32,
        tree: Tree,
        neighbours: Neighbours,
    },
}

/// The module that merges triads.
fn triads(tree: Tree) -> Part {
    if tree.log_run > 0 { WANG_MOU_SHUFFLES } else { WANG_MOU_MEMORY }
}

impl Kernel for WangMouKernel {
    fn properties(self) -> Properties {
        match self {
            Self::Whole { rows, tree } | Self::Reduce { rows, tree } | Self::Substitute { rows, tree, .. } => {
                Properties::new(true, tree.log_run > 0, rows >= 4)
            }
        }
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let caller = &with.caller[..];
        match self {
            Self::Whole { rows, tree } => {
                let parts =
                    [caller, &[with.load, FAULT, OWN_ROWS, triads(tree)], &with.stores(tree), &[WANG_MOU, ENTRY]];
                let constants = [with.row_constants(rows, rows), tree.constants()].concat();
                with.permutation("wang_mou", parts.concat(), constants, tree.place_overrides())
            }
            Self::Reduce { rows, tree } => {
                let parts = [caller, &[with.load, OWN_ROWS, triads(tree), WANG_MOU_REDUCE, ENTRY]].concat();
                let constants = [with.row_constants(rows, rows), tree.constants(), vec![("KEPT", 3 * rows)]].concat();
                with.permutation("wang_mou_reduce", parts, constants, tree.place_overrides())
            }
            Self::Substitute { rows, tree, neighbours } => {
                let mut parts = [caller, &[FAULT], &tree.parts()].concat();
                let mut constants =
                    [with.row_constants(rows, rows), tree.constants(), vec![("KEPT", 3 * rows)]].concat();
                neighbours.add_to(&mut parts, &mut constants);
                parts.extend(with.stores(tree));
                parts.extend([WANG_MOU_SUBSTITUTE, ENTRY]);
                with.permutation("wang_mou_substitute", parts, constants, tree.overrides())
            }
        }
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let mut kernels = Vec::new();
        for (rows, tree) in ROWS.into_iter().flat_map(|rows| all::trees().map(|tree| (rows, tree))) {
            kernels.extend([Self::Whole { rows, tree }, Self::Reduce { rows, tree }]);
            let neighbours = BLOCKS.map(Neighbours::Gather).into_iter().chain([Neighbours::Read]);
            kernels.extend(neighbours.map(|neighbours| Self::Substitute { rows, tree, neighbours }));
        }
        kernels.into_iter().map(|kernel| (kernel, vec![Gate::Open])).collect()
    }
}
