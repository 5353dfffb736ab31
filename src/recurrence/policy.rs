//! How an algorithm divides its work: what can vary.
//!
//! Policies are data, apart from the algorithms. The answer does not depend on them but for rounding;
//! the speed does.

use super::options::Algorithm;
use crate::plan::{OFF_ON, POWERS_TO_1024, policies, policy};

policy! {
    /// How [`Algorithm::PScheme`] divides its work: into groups x threads chunks per sequence (see
    /// [`PSchemePolicy::chunks`]). [`PSchemeFit`](super::PSchemeFit) has the paper's model of how many.
    PSchemePolicy {
        /// Workgroups per sequence (G).
        groups: u32 in &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];
        /// Threads per workgroup (T), a chunk each.
        threads: u32 in POWERS_TO_1024;
        /// Coefficients and values lie rearranged between the phases, the numbers that the threads take at a step
        /// side by side. Of little use where systems lie closer than rows: there neighbouring threads take
        /// neighbouring sequences without.
        rearranged: bool in OFF_ON;
        /// Rearranged by way of workgroup memory, so that both sides are reached side by side.
        tiled: bool in OFF_ON;
    }
}

policies! { PScheme(PSchemePolicy) }
/// Rows of a chunk at the most: no thread should run for long, and Mesa's software driver (22.3) breaks off loops of
/// some ten thousand rounds, and says nothing.
const MOST_ROWS: u32 = 16384;

impl PSchemePolicy {
    /// Chunks of a sequence of so many rows (P): groups x threads, but no more than there are rows, and of very long
    /// sequences as many as keep a chunk at 16384 rows.
    pub fn chunks(&self, rows: u32) -> u32 {
        let least = rows.div_ceil(MOST_ROWS).next_multiple_of(self.threads.max(1));
        self.groups.saturating_mul(self.threads).max(least).clamp(1, rows.max(1))
    }
}

impl Policy {
    /// The algorithm that it is of.
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Self::PScheme(_) => Algorithm::PScheme,
        }
    }
}
