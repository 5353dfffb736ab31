//! Twisted factorisation: two threads per system eliminate from both ends, and meet in the middle (`shaders/tridiagonal/twisted*.wgsl`). For
//! systems that lie closer than rows. [`Auto`](super::Algorithm::Auto) takes it for the first pass over dominant systems: whole, if the
//! threads can keep what the way back needs; otherwise slice by slice, each with a halo, and with a window of rows behind which unknowns
//! are no longer coupled.

use super::partition::kernels::rounding;
use crate::plan::{Params, Slot, Tree};
use crate::precision::Precision;
use crate::shader::{Permutation, parts};
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Assembly, Kernel, Program, Properties, Step};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::{Gate, all};

/// How a twisted factorisation divides its work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    /// Threads per workgroup. Two threads share a system or a slice.
    pub workgroup: u32,
    /// Rows that a thread loads together: a block.
    pub rows: u32,
    /// Blocks behind which an unknown is no longer coupled; a thread keeps one more.
    pub window: u32,
    /// Target number of threads over all slices. With more than half as many systems, each system is one slice.
    pub fill: u32,
}

/// The workgroup, halved until a relation (four numbers) and a word per thread fit the device's workgroup memory.
pub(super) fn fitting(memory: u32, precision: Precision, mut workgroup: u32) -> u32 {
    while workgroup > 32 && u64::from(workgroup) * (4 * precision.bytes() + 4) > u64::from(memory) {
        workgroup /= 2;
    }
    workgroup
}

/// Systems side by side in a workgroup: at least those of a memory sector.
const SIDE_BY_SIDE: [u32; 3] = [32, 16, 8];

impl Division {
    /// The largest number of systems side by side that leaves at most a third of the threads idle; at least 8.
    fn tree(self, params: &Params) -> Tree {
        let problems = params.problems;
        let fits = |&lanes: &u32| 2 * lanes <= self.workgroup && 2 * problems.next_multiple_of(lanes) <= 3 * problems;
        let lanes = SIDE_BY_SIDE.into_iter().find(fits).unwrap_or(8);
        Tree {
            workgroup: self.workgroup,
            log_chunks: (self.workgroup / lanes).ilog2(),
            systems_first: true,
            log_run: 0,
        }
    }

    /// Whole systems, if threads can keep them.
    pub fn whole(self, params: &Params) -> Option<Step> {
        let Self { workgroup, rows, window, .. } = self;
        let fits = params.n.div_ceil(rows).div_ceil(2) <= window + 1;
        let tree = Tree { workgroup, log_chunks: 1, systems_first: true, log_run: 0 };
        let kernel = TwistedKernel { rows, tree, window, is_sliced: false };
        fits.then(|| step(kernel, Params { slices: 1, ..*params }))
    }

    /// Slices that are solved alone.
    pub fn sliced(self, params: &Params) -> Step {
        let Self { rows, window, fill, .. } = self;
        let tree = self.tree(params);
        let blocks = params.n.div_ceil(rows);
        // Of one slice of each problem.
        let threads = 2 * params.problems.next_multiple_of(tree.problems());
        let slice = blocks.div_ceil((fill / threads).max(1)).max(2 * window);
        let slices = blocks.div_ceil(slice).div_ceil(tree.chunks() / 2);
        let kernel = TwistedKernel { rows, tree, window, is_sliced: true };
        step(kernel, Params { slices, blocks: slice, ..*params })
    }
}

fn step(kernel: TwistedKernel, params: Params) -> Step {
    let tree = kernel.tree;
    let workgroups = u64::from(params.problems.div_ceil(tree.problems())) * u64::from(params.slices);
    let mut program = Program::default();
    let here = Params { log_chunks: tree.log_chunks, ..params };
    program.push(kernel, here, workgroups, &[Slot::Inputs, Slot::Status, Slot::Output]);
    program.steps.remove(0)
}

parts! {
    TWISTED_WHOLE = "tridiagonal/twisted_whole";
    TWISTED_SLICED = "tridiagonal/twisted_sliced";
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TwistedKernel {
    rows: u32,
    tree: Tree,
    window: u32,
    is_sliced: bool,
}

impl TwistedKernel {
    /// Whether it solves slices alone.
    pub fn is_sliced(self) -> bool {
        self.is_sliced
    }
}

impl Kernel for TwistedKernel {
    fn properties(self) -> Properties {
        Properties::new(true, false, false)
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let Self { rows, tree, window, is_sliced } = self;
        let mut constants = with.row_constants(rows, rows);
        constants.extend([("WINDOW", window), ("KEPT", window + 1)]);
        let (name, own) = match is_sliced {
            false => ("twisted_whole", vec![VERDICT_REPORT, TWISTED_WHOLE]),
            true => {
                constants.push(("ROUNDING", rounding(precision)));
                ("twisted_sliced", vec![TWISTED_SLICED])
            }
        };
        let parts = [&with.caller[..], &[with.store, FAULT, ENTRY], &own].concat();
        with.permutation(name, parts, constants, tree.place_overrides())
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let tree = Tree { systems_first: true, log_chunks: 1, ..all::TREE };
        let judges = Gate::Judges { followers: 5, chained: 0 };
        let chained = Gate::Judges { followers: 3, chained: 2 };
        let of_rows = |rows| {
            let kernel = Self { rows, tree, window: 4, is_sliced: false };
            let sliced = Self { is_sliced: true, ..kernel };
            [(kernel, vec![Gate::Open, Gate::Reports, judges]), (sliced, vec![judges, chained])]
        };
        BLOCK_ROWS.into_iter().flat_map(of_rows).collect()
    }
}

/// Rows that a thread may load together.
pub const BLOCK_ROWS: [u32; 2] = [4, 8];
