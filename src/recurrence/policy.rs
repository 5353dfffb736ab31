//! Policies: the parameters of an algorithm's division of work.
//!
//! Policies are data, apart from the algorithms. They change the speed, and the answer only by rounding.

use super::options::Algorithm;
use crate::plan::{OFF_ON, POWERS_TO_1024, policies, policy};

policy! {
    /// How [`Algorithm::PScheme`] divides its work: into groups x threads chunks per sequence (see [`PSchemePolicy::chunks`]).
    /// [`PSchemeFit`](super::PSchemeFit) is the paper's model of the best number.
    PSchemePolicy {
        /// Workgroups per sequence (G).
        groups: u32 in &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];
        /// Threads per workgroup (T), one chunk each.
        threads: u32 in POWERS_TO_1024;
        /// Rearrange coefficients and values between the phases, so that the numbers of one step of all threads are adjacent. Of little use
        /// if systems lie closer than rows: neighbouring threads then process neighbouring sequences.
        rearranged: bool in OFF_ON;
        /// Rearrange through workgroup memory, so that both reads and writes access adjacent numbers.
        tiled: bool in OFF_ON;
        /// Rearrange within the phases, through workgroup memory, in place of launches of their own.
        staged: bool in OFF_ON;
        /// Propagate over groups of 2048 chunks in several workgroups (two launches more) if there are more chunks; else one workgroup per
        /// sequence propagates over all.
        grouped: bool in OFF_ON;
        /// Where the pre-computation of rearranged arrays (without `staged`) reads the value before a row. 0: a register. 1: the array, P places
        /// earlier; a copy of each chunk's last value stands in front of the next chunk (the paper's figure 3). 2: the array without these
        /// copies; the first row of a chunk takes a branch (figure 2). The results are bitwise the same.
        preceding: u32 in &[0, 1, 2];
    }
}

policies! { PScheme(PSchemePolicy) }
/// Most rows per chunk: threads should not run long, and Mesa's software driver (22.3) silently ends loops after some ten thousand rounds.
const MOST_ROWS: u32 = 16384;

impl PSchemePolicy {
    /// A policy with `tiled` and `grouped`, and without `rearranged` and `staged`; `preceding` is 0.
    pub const fn new(groups: u32, threads: u32) -> Self {
        Self { groups, threads, rearranged: false, tiled: true, staged: false, grouped: true, preceding: 0 }
    }

    /// Chunks per sequence of `rows` rows (P): groups x threads, at most one per row; more for very long sequences, which keeps chunks at
    /// 16384 rows.
    pub fn chunks(&self, rows: u32) -> u32 {
        let least = rows.div_ceil(MOST_ROWS).next_multiple_of(self.threads.max(1));
        self.groups.saturating_mul(self.threads).max(least).clamp(1, rows.max(1))
    }
}

impl Policy {
    /// The algorithm of the policy.
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Self::PScheme(_) => Algorithm::PScheme,
        }
    }
}
