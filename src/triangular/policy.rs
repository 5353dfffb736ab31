//! How an algorithm divides its work: what can vary, and its legal values.
//!
//! Policies are data, apart from the algorithms. The answer does not depend on them but for rounding; the speed does.

use super::options::Algorithm;
use crate::plan::{policies, policy};

const BLOCKS: &[u32] = &[32, 64];
const THREADS: &[u32] = &[64, 128, 256, 512];
const COLUMNS: &[u32] = &[1, 2, 4, 8];
/// The last one is never.
const INVERT_FROM: &[u32] = &[0, 1, 2, 3, 4, 6, 8, 12, 16, NEVER];
pub(crate) const NEVER: u32 = 1 << 20;

policy! {
    /// How [`Algorithm::Single`] divides its work.
    SinglePolicy {
        /// Threads that share a row, whose entries they take turns at.
        groups: u32 in &[1, 2, 4, 8];
        /// Right-hand sides that a workgroup solves at once.
        columns: u32 in COLUMNS;
        /// Where the matrix is kept before it is used: 1 in workgroup memory, where all but one of a row's threads
        /// bring it, 2 in registers.
        precache: u32 in &[1, 2];
        /// Of registers: steps of eight columns that a thread takes one after the other. The paper's variant A is 1, its
        /// variant B more.
        run: u32 in &[1, 4];
        /// Of registers: such runs that a thread has loaded ahead.
        runs: u32 in &[1, 2, 4, 8];
    }
}

policy! {
    /// How [`Algorithm::LaunchSynced`] divides its work.
    LaunchSyncedPolicy {
        /// Rows of a block.
        block: u32 in BLOCKS;
        /// Threads per workgroup: an eighth or a sixteenth of the entries of a block.
        threads: u32 in THREADS;
        /// Right-hand sides that a workgroup solves at once.
        columns: u32 in COLUMNS;
        /// Block rows that a launch solves.
        rows: u32 in &[1, 2, 4, 8, 16];
    }
}

policy! {
    /// How [`Algorithm::Chained`] divides its work.
    ChainedPolicy {
        /// Rows of a block.
        block: u32 in BLOCKS;
        /// Threads per workgroup: an eighth or a sixteenth of the entries of a block.
        threads: u32 in THREADS;
        /// Right-hand sides that a workgroup solves at once.
        columns: u32 in COLUMNS;
        /// Where a workgroup keeps the block by which it multiplies next, while it waits for what that is multiplied
        /// by: 0 nowhere, 1 in workgroup memory, 2 in registers.
        precache: u32 in &[0, 1, 2];
        /// The first block row whose diagonal block is inverted instead of solved by substitution; 1048576 for none.
        /// Ill-conditioned blocks are never inverted.
        invert_from: u32 in INVERT_FROM;
    }
}

policies! { Single(SinglePolicy), LaunchSynced(LaunchSyncedPolicy), Chained(ChainedPolicy) }
impl Policy {
    /// The algorithm that it is of.
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Self::Single(_) => Algorithm::Single,
            Self::LaunchSynced(_) => Algorithm::LaunchSynced,
            Self::Chained(_) => Algorithm::Chained,
        }
    }
}
