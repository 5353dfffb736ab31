//! Policies of the partition: the parameters, and the fastest measured values.

use wgpu::Limits;

use super::super::WORKGROUPS;
use super::ROWS;
#[cfg(feature = "internals")]
use super::slicing;
#[cfg(feature = "internals")]
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, Params, policy};
use crate::precision::Precision;

policy! {
    /// How [`Algorithm::Partition`](crate::tridiagonal::Algorithm::Partition) divides its work.
    PartitionPolicy {
        /// Threads per workgroup. Larger ones are used if a system then fits one.
        workgroup: u32 in WORKGROUPS;
        /// Rows per thread.
        rows: u32 in &ROWS;
        /// Most neighbouring systems per workgroup, if systems lie closer than rows; at most a quarter of its threads.
        lanes: u32 in &[1, 2, 4, 8, 16, 32, 64];
        /// Merge with shuffles, if there are subgroups and rows lie closer than systems. More work than through workgroup memory, but lower
        /// latency.
        shuffles: bool in OFF_ON;
        /// In the second pass every slice merges the blocks of all slices itself, if they are few; this replaces a dispatch between the
        /// passes that does it once.
        gather: bool in OFF_ON;
        /// Most slices of a system for the solve in one dispatch, in which each slice waits for the blocks of the others; 0 disables it.
        /// Needs shuffles, and in f64 64-bit integers. Fast if all workgroups run at once on the device, slow otherwise: slices that wait
        /// too long share the work of the missing ones.
        together: u32 in &[0, 16, 32, 64, 128, 256, 512, 1024];
    }
}

/// The policy that measured best on an H200 (benches/results/tridiagonal-log.md).
pub fn default_policy(limits: &Limits, precision: Precision, params: &Params) -> PartitionPolicy {
    let policy =
        |workgroup, rows, lanes| PartitionPolicy { workgroup, rows, lanes, shuffles: true, gather: true, together: 0 };
    let rows_in_all = u64::from(params.n) * u64::from(params.problems);
    if params.systems_first() {
        // Sixteen systems fill a memory sector pair; more rows per thread make room for them.
        let (filling, _) = filling_rows(params.n);
        let large = limits.max_compute_invocations_per_workgroup >= 512;
        return match (precision, params.n) {
            (Precision::F32, ..=64) => policy(128, filling, 32),
            (Precision::F32, ..=128) => policy(256, filling, 64),
            (_, ..=64) => policy(256, 8, 32),
            (Precision::F32, ..=256) => policy(256, 16, 16),
            (Precision::F32, ..=1024) if large => policy(512, 32, 16),
            (Precision::F32, _) => policy(256, 16, 16),
            (Precision::F64, ..=256) if large => policy(512, 8, 16),
            (Precision::F64, ..=1024) => policy(256, 16, 16),
            (Precision::F64, _) => policy(256, 8, 16),
        };
    }
    // Too little work to fill a device needs the lowest latency. Data that fit its cache need few slices, twice as many as processors.
    // Anything larger needs small workgroups.
    match (precision, params.n) {
        (_, ..=2048) if rows_in_all <= 1 << 16 => policy(256, 4, 32),
        (_, ..=512) | (Precision::F64, ..=2048) => policy(64, well_filled(params.n, 8), 16),
        (_, ..=2048) => policy(64, well_filled(params.n, 16), 16),
        (Precision::F32, ..=8192) if rows_in_all <= 1 << 16 => policy(256, 8, 32),
        _ => {
            let table: &[_] = match precision {
                Precision::F32 => &BY_ROWS_F32,
                Precision::F64 => &BY_ROWS_F64,
            };
            // The last entry holds for any number of rows.
            let (_, [workgroup, rows, lanes]) = table[table.partition_point(|entry| entry.0 < rows_in_all)];
            policy(workgroup, rows, lanes)
        }
    }
}

/// The rows per thread that leave the least room unused in an interleaved system, and the rows for which its threads then have room. The number
/// of threads per system is a power of two.
pub fn filling_rows(n: u32) -> (u32, u32) {
    let held = |rows: u32| (rows, n.div_ceil(rows).next_power_of_two() * rows);
    // Of equals the last, which has the fewest chunks to merge.
    let better = |best: (u32, u32), other: (u32, u32)| if other.1 <= best.1 { other } else { best };
    [8, 12, 16].into_iter().map(held).fold(held(4), better)
}

/// `rows`, or 12 if this leaves far fewer threads without rows: the number of chunks is a power of two.
fn well_filled(n: u32, rows: u32) -> u32 {
    let held = |rows: u32| n.div_ceil(rows).next_power_of_two() * rows;
    if 4 * held(12) <= 3 * held(rows) { 12 } else { rows }
}

/// Workgroup, rows and lanes for long systems, by the total number of rows.
const BY_ROWS_F32: [(u64, [u32; 3]); 6] = [
    (1 << 16, [128, 4, 32]),
    (1 << 18, [256, 4, 32]),
    (1 << 20, [256, 16, 32]),
    (1 << 21, [128, 8, 32]),
    (1 << 22, [128, 16, 32]),
    (u64::MAX, [64, 12, 16]),
];
const BY_ROWS_F64: [(u64, [u32; 3]); 4] =
    [(1 << 18, [128, 4, 32]), (1 << 20, [64, 8, 16]), (1 << 22, [32, 8, 8]), (u64::MAX, [32, 12, 8])];

/// Policies that let slices wait for each other; a search from policies without this would not reach them. `together` is the least value
/// that admits all slices; all workgroups may run at once.
#[cfg(feature = "internals")]
pub fn together_policies(
    capabilities: &Capabilities,
    precision: Precision,
    params: &Params,
    legal: &[u32],
) -> Vec<PartitionPolicy> {
    let mut found = Vec::new();
    for workgroup in [128, 256, 512, 1024] {
        for rows in [4, 8, 16] {
            let policy = PartitionPolicy { workgroup, rows, lanes: 1, shuffles: true, gather: true, together: 0 };
            let slices = slicing(capabilities, precision, params, policy).slices;
            let threads = u64::from(slices) * u64::from(params.problems) * u64::from(workgroup);
            let together = legal.iter().copied().find(|&most| most >= slices);
            if let (Some(together), 2.., ..=MOST_AT_ONCE) = (together, slices, threads) {
                found.push(PartitionPolicy { together, ..policy });
            }
        }
    }
    found
}

/// Threads that run at once on the largest devices.
#[cfg(feature = "internals")]
const MOST_AT_ONCE: u64 = 1 << 18;
