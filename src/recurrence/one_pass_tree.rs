//! Threads and rows of a workgroup in one pass.

use crate::gpu::Capabilities;
use crate::plan::{Params, Tree, rows_each, workgroup};
use crate::precision::Precision;

/// Threads per workgroup; in f64, as many as have registers for their rows.
const fn threads(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 512,
        Precision::F64 => 256,
    }
}

/// Up to this number of rows in all, larger workgroups: small ones would make too few slices to keep a large device busy.
const FEW: (u64, u32) = (1 << 21, 256);

/// Least runs of lanes per workgroup; one of them holds rows of the previous slice.
const LEAST_RUNS: u32 = 4;

/// Lanes that regroup units, as a power of two.
const LEAST_LOG_RUN: u32 = 2;

/// With shuffles, a chunk is four units of 16 bytes; neighbouring lanes load neighbouring units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OnePassTree {
    /// Rows of a chunk.
    pub rows: u32,
    pub tree: Tree,
}

impl OnePassTree {
    pub fn new(precision: Precision, tree: Tree) -> Self {
        Self { rows: rows_each(precision), tree }
    }

    /// For a shape.
    pub fn of(capabilities: &Capabilities, precision: Precision, params: &Params) -> Self {
        let few = u64::from(params.n) * u64::from(params.problems) <= FEW.0;
        let threads = workgroup(capabilities, if few { FEW.1 } else { threads(precision) });
        let alone = Tree { workgroup: threads, log_chunks: threads.ilog2(), systems_first: false, log_run: 0 };
        let shuffled = alone.with_shuffles(capabilities.subgroup_lanes);
        let fits = shuffled.log_run >= LEAST_LOG_RUN && shuffled.workgroup >> shuffled.log_run >= LEAST_RUNS;
        Self::new(precision, if fits { shuffled } else { alone })
    }

    /// Chunks per slice: with shuffles, the first run of a workgroup holds the previous slice's chunks.
    pub fn slice_chunks(self) -> u32 {
        let before = if self.tree.log_run > 0 { 1 << self.tree.log_run } else { 0 };
        self.tree.workgroup - before
    }
}
