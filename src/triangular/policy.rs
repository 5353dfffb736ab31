//! Policies: the parameters of an algorithm's division of work, and their legal values.
//!
//! Policies are data, apart from the algorithms. They change the speed, and the answer only by rounding.

use super::options::Algorithm;
use crate::plan::{policies, policy};

const BLOCKS: &[u32] = &[32, 64];
const THREADS: &[u32] = &[64, 128, 256, 512];
const COLUMNS: &[u32] = &[1, 2, 4, 8];
/// The last value means never.
const INVERT_FROM: &[u32] = &[0, 1, 2, 3, 4, 6, 8, 12, 16, NEVER];
pub(crate) const NEVER: u32 = 1 << 20;

policy! {
    /// How [`Algorithm::Single`] divides its work.
    SinglePolicy {
        /// Threads per row; they take the row's entries in turn.
        groups: u32 in &[1, 2, 4, 8];
        /// Right-hand sides that a workgroup solves at once.
        columns: u32 in COLUMNS;
        /// Where the matrix is kept before use: 1 in workgroup memory, loaded by all but one of a row's threads; 2 in registers.
        precache: u32 in &[1, 2];
        /// For registers: steps of eight columns that a thread takes in sequence. The paper's variant A is 1, its variant B more.
        run: u32 in &[1, 4];
        /// For registers: runs of steps that a thread has loaded in advance.
        runs: u32 in &[1, 2, 4, 8];
    }
}

policy! {
    /// How [`Algorithm::Abreast`] divides its work.
    AbreastPolicy {
        /// Right-hand sides of a workgroup.
        columns: u32 in &[8, 16, 32, 64];
        /// Blocks of 16 rows side by side, of which each thread holds four rows of four right-hand sides; at most twice as many blocks in all.
        spans: u32 in &[1, 2, 4, 8, 16];
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
        /// Block rows that a step solves.
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
        /// Where a workgroup keeps the block that it multiplies next, while it waits for the unknowns: 0 nowhere, 1 in workgroup memory, 2
        /// in registers.
        precache: u32 in &[0, 1, 2];
        /// The first block row with an inverted diagonal block; earlier ones are solved by substitution. 1048576: none is inverted.
        /// Ill-conditioned blocks are never inverted.
        invert_from: u32 in INVERT_FROM;
    }
}

policies! { Single(SinglePolicy), Abreast(AbreastPolicy), LaunchSynced(LaunchSyncedPolicy), Chained(ChainedPolicy) }
impl Policy {
    /// The algorithm of the policy.
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Self::Single(_) => Algorithm::Single,
            Self::Abreast(_) => Algorithm::Abreast,
            Self::LaunchSynced(_) => Algorithm::LaunchSynced,
            Self::Chained(_) => Algorithm::Chained,
        }
    }
}
