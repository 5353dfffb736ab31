//! HISA in two passes over slices of T, and BHISA by kept factors: both solve T x' = b - S x, so that x' - x is known, and T (x' - x) is the
//! residual of x.

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

use Memory::{Factors, Index, Off, Scratch, Tri};
use Phase::Run;

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
    /// T x' = g - S x in two passes over slices of T; iterates alternate between two places.
    pub fn hisa_fused(&self, recipe: &mut Recipe, slices: &Slices) -> Steps {
        let &Self { g, .. } = self;
        let &Slices { rows, tree, count, .. } = slices;
        let right = recipe.new_vector(g.outer);
        let begin = self.ready(recipe);
        let levels = slices.levels(if g.outer { recipe.outer } else { recipe.precision });
        let Between { blocks, neighbours, .. } = slices.between;
        let sizes = |params: &mut QuasiParams| {
            params.n = 4 * params.quads;
            params.problems = 1;
            params.slices = count;
            params.log_chunks = tree.log_chunks;
            params.workgroups = count;
        };
        for step in 0..FIXED_AHEAD {
            let (from, to) = self.in_places(step);
            let own = [(7, at(g)), (8, Scratch(blocks)), (9, at(right))];
            recipe.multiply_at(Run, QuasiKernel::HisaReduce { rows, tree }, Matrix::Own, from, &own, sizes);
            recipe.items.extend(levels.iter().cloned());
            let own = [(3, Tri(Matrix::Own)), (4, at(right)), (6, at(from)), (8, at(to)), (9, Scratch(neighbours))];
            recipe.push_any([Run; 2], from.outer, QuasiKernel::HisaSolve { rows, tree }, &own, sizes);
            self.decide(recipe);
        }
        self.fixed(recipe, begin)
    }

    /// T_j x' = g - S x in every block j by kept factors; iterates alternate between two places.
    pub fn bhisa_factored(&self, recipe: &mut Recipe, policy: BhisaPolicy, tree: Tree) -> Steps {
        let g = self.g;
        let kernel = QuasiKernel::Factored { rows: policy.rows, tree };
        let begin = self.ready(recipe);
        let columns_at = recipe.own.columns_at as u32 / 4;
        for step in 0..FIXED_AHEAD {
            let (from, to) = self.in_places(step);
            recipe.gather_pieces(Run, Matrix::Own, from);
            let (index, off) = (Index(Matrix::Own), Off(Matrix::Own));
            let bindings = [(3, Factors), (4, index), (5, off), (6, at(from)), (7, at(g)), (8, at(to))];
            recipe.push_any([Run; 2], from.outer, kernel, &bindings, |params| {
                block_sizes(params, policy, tree);
                params.columns_at = columns_at;
            });
            self.decide(recipe);
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
    let numbers = 3 * padded + 5 * padded / rows as usize + 2 * padded / block as usize;
    numbers.next_multiple_of(4)
}
