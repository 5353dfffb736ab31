//! What the threads of a workgroup hold in one pass.

use crate::gpu::Capabilities;
use crate::gpu::wgsl::Precision;
use crate::plan::{Params, Tree, rows_each, workgroup};

/// Threads a workgroup.
const THREADS: u32 = 512;

/// Up to so many rows in all, which make fewer slices than keep a large device busy, so many threads.
const FEW: (u64, u32) = (1 << 21, 256);

/// Runs of lanes a workgroup at the least, where one holds rows of the slice before.
const LEAST_RUNS: u32 = 4;

/// With shuffles chunks of eight rows, of each segment of a run of lanes one, so that neighbouring lanes' lie side by
/// side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Held {
    /// Rows of a chunk.
    pub rows: u32,
    /// Chunks a thread.
    pub each: u32,
    /// Values that do not depend on the slice before are stored before that is asked: of use where rows of it that fit
    /// the first run seldom are enough.
    pub early: bool,
    pub tree: Tree,
}

impl Held {
    pub fn new(precision: Precision, tree: Tree) -> Self {
        let rows = rows_each(precision);
        // Eight rows of a lane, then eight of the next: a load takes in half of each 32 bytes, the next the other half.
        match tree.log_run {
            0 => Self { rows, each: 1, early: false, tree },
            _ => Self { rows: 8, each: rows / 8, early: precision == Precision::F64, tree },
        }
    }

    /// For a shape.
    pub fn of(capabilities: &Capabilities, precision: Precision, params: &Params) -> Self {
        let few = u64::from(params.n) * u64::from(params.problems) <= FEW.0;
        let threads = workgroup(capabilities, if few { FEW.1 } else { THREADS });
        let alone = Tree { workgroup: threads, log_chunks: threads.ilog2(), systems_first: false, log_run: 0 };
        let shuffled = alone.with_shuffles(capabilities.subgroup_lanes);
        Self::new(precision, if shuffled.workgroup >> shuffled.log_run >= LEAST_RUNS { shuffled } else { alone })
    }

    /// Of a workgroup: with shuffles, the first run's are of the slice before.
    pub fn slice_chunks(self) -> u32 {
        let before = if self.tree.log_run > 0 { 1 << self.tree.log_run } else { 0 };
        self.each * (self.tree.workgroup - before)
    }
}
