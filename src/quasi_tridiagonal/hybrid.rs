//! HISA and BHISA as recursions: a step z solves T z = r, so the next residual is r' = r - A z = -S z. T is not multiplied by, and x is
//! not read to find the residual. A cycle ends with the true residual.

use super::kernels::{Phase, QuasiKernel, QuasiParams};
use super::methods::{FIXED_AHEAD, Steps, Task, at};
use super::policy::{BhisaPolicy, HisaPolicy};
use super::recipe::{Item, Level, Matrix, Memory, Recipe};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{Slot, Tree};
use crate::precision::Precision;
use crate::tridiagonal::algorithms::partition::{self, Between};
use crate::tridiagonal::kernels::Access;

use Memory::{Factors, History, Index, Off, Scratch, Tri};
use Phase::{Begin, Run};

/// The division of T into slices, and the dispatches between the passes over them.
pub(crate) struct Slices {
    rows: u32,
    tree: Tree,
    count: u32,
    pub between: Between,
}

impl Slices {
    pub fn new(
        capabilities: &Capabilities,
        precision: Precision,
        policy: HisaPolicy,
        tree: Tree,
        padded: usize,
    ) -> Result<Self> {
        let count = (padded as u32).div_ceil(policy.workgroup * policy.rows);
        let between = partition::between(capabilities, precision, count);
        Ok(Self { rows: policy.rows, tree, count, between })
    }

    fn levels(&self, precision: Precision) -> Vec<Item> {
        let level = |step: &crate::tridiagonal::kernels::Step| {
            let slot = |slot: &Slot| match *slot {
                Slot::Scratch { binding, index } => Some((binding, index)),
                _ => None,
            };
            Item::Level(Level {
                permutation: step.kernel.permutation(precision, Access::default()),
                params: step.params,
                workgroups: step.workgroups,
                bindings: step.slots.iter().filter_map(slot).collect(),
            })
        };
        self.between.program.steps.iter().map(level).collect()
    }
}

impl Task {
    /// T z = r with r = -S z (at first g), d += z, in two passes over slices of T.
    pub fn hisa_fused(&self, recipe: &mut Recipe, slices: &Slices) -> Steps {
        let &Self { g: r, d, .. } = self;
        let &Slices { rows, tree, count, .. } = slices;
        let z = recipe.vector();
        let begin = self.ready(recipe);
        let levels = slices.levels(recipe.precision);
        let Between { blocks, neighbours, .. } = slices.between;
        let sizes = |params: &mut QuasiParams| {
            params.n = 4 * params.quads;
            params.problems = 1;
            params.slices = count;
            params.log_chunks = tree.log_chunks;
            params.workgroups = count;
        };
        for _ in 0..FIXED_AHEAD {
            let passes = [(7, at(r)), (8, Scratch(blocks))];
            recipe.multiply_at(Run, QuasiKernel::HisaReduce { rows, tree }, Matrix::Own, z, &passes, sizes);
            recipe.push(Run, QuasiKernel::FixedResidual { exact: false, noted: false }, &[(4, History)]);
            recipe.items.extend(levels.iter().cloned());
            let vectors = [(3, Tri(Matrix::Own)), (4, at(r)), (6, at(z)), (8, at(d)), (9, Scratch(neighbours))];
            recipe.push_at(Run, QuasiKernel::HisaSolve { rows, tree }, &vectors, sizes);
        }
        self.fixed(recipe, begin)
    }

    /// T_j z' = -S z (at first g) in every block j by kept factors, d += z; steps alternate between two places.
    pub fn bhisa_factored(&self, recipe: &mut Recipe, policy: BhisaPolicy, tree: Tree) -> Steps {
        let &Self { g, d, .. } = self;
        let rows = policy.rows;
        let (z, z_next) = (recipe.vector(), recipe.vector());
        let kernel = |first| QuasiKernel::Factored { rows, tree, first };
        let sizes = |params: &mut QuasiParams| block_sizes(params, policy, tree);
        let bindings = |from, to| {
            [(3, Factors), (4, Index(Matrix::Own)), (5, Off(Matrix::Own)), (6, at(from)), (7, at(d)), (8, at(to))]
        };
        let columns_at = recipe.own.columns_at as u32 / 4;
        let with_columns = |params: &mut QuasiParams| {
            sizes(params);
            params.columns_at = columns_at;
        };
        recipe.push_at(Begin, kernel(true), &bindings(g, z), with_columns);
        let begin = self.ready(recipe);
        for step in 0..FIXED_AHEAD {
            let (from, to) = if step % 2 == 0 { (z, z_next) } else { (z_next, z) };
            recipe.gather_pieces(Run, Matrix::Own, from);
            recipe.push_at(Run, kernel(false), &bindings(from, to), with_columns);
            recipe.push(Run, QuasiKernel::Fixed { by_step: false, exact: false, in_place: true }, &[(4, History)]);
        }
        self.fixed(recipe, begin)
    }
}

/// The parameters of a kernel of blocks.
pub(crate) fn block_sizes(params: &mut QuasiParams, policy: BhisaPolicy, tree: Tree) {
    params.n = policy.block;
    params.problems = 4 * params.quads / policy.block;
    params.log_chunks = tree.log_chunks;
    params.steps = policy.block.ilog2();
    params.workgroups = params.problems.div_ceil(tree.problems());
}

/// Numbers of the factors of blocks (`factors.wgsl`), for this number of rows, padded to whole blocks.
pub(crate) fn factor_numbers(policy: BhisaPolicy, padded: usize) -> usize {
    let BhisaPolicy { block, rows, .. } = policy;
    let of_rows = if rows == 1 { 0 } else { 3 * padded };
    let numbers = of_rows + 5 * padded / rows as usize + 2 * padded / block as usize;
    numbers.next_multiple_of(4)
}
