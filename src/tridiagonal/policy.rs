//! How an algorithm divides its work: what can vary, its legal values, and what is taken by default.
//!
//! Policies are data, apart from the algorithms. The answer does not depend on them but for rounding;
//! the speed does.

use super::options::{Algorithm, Stability, Structure};
use super::{auto, cyclic, partition, pivoting, scan, thomas, tpr, wang_mou};
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, POWERS_TO_1024, Params, policies};
use crate::precision::Precision;

const WORKGROUPS: &[u32] = &[32, 64, 128, 256, 512, 1024];

policies! {
    /// How [`Algorithm::Auto`] divides its first pass over long systems, the slices of which are solved alone. Behind that come
    /// the partition and pivoting, as their own policies say.
    Auto(AutoPolicy) {
        /// Threads a workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Rows a thread.
        rows: u32 in &super::kernels::PARTITION_ROWS;
        /// Threads of a workgroup, on either side, that take rows of the slices beside: as many as let nothing through. 0
        /// begins with the partition.
        halo: u32 in &[0, 2, 4, 6, 8, 12, 16, 32];
        /// Merge with shuffles where there are subgroups.
        shuffles: bool in OFF_ON;
    }

    /// How [`Algorithm::Partition`] divides its work.
    Partition(PartitionPolicy) {
        /// Threads a workgroup. Larger ones are taken where a system then fits one.
        workgroup: u32 in WORKGROUPS;
        /// Rows a thread.
        rows: u32 in &super::kernels::PARTITION_ROWS;
        /// Most neighbouring systems that a workgroup takes where those lie closer than rows; no more than
        /// a quarter of its threads are taken.
        lanes: u32 in &[1, 2, 4, 8, 16, 32, 64];
        /// Merge with shuffles where there are subgroups and rows lie closer than systems. More
        /// work than through workgroup memory, but a shorter way.
        shuffles: bool in OFF_ON;
        /// In the second pass every slice merges the blocks of all slices for itself, where they
        /// are few, instead of a dispatch between the passes that does it once.
        gather: bool in OFF_ON;
        /// Most slices of a system that are solved in one dispatch, in which each waits for the blocks
        /// of the others; 0 for none. With shuffles only, and in f64 with 64-bit integers. Quick as long
        /// as all workgroups run at once on the device, and slow beyond: those that wait too long
        /// share the work of those that are missing.
        together: u32 in &[0, 16, 32, 64, 128, 256, 512, 1024];
    }

    /// How [`Algorithm::Pivoting`] divides its work.
    Pivoting(PivotingPolicy) {
        /// Threads a workgroup, at the most: slices take a power of half the rows of a partition.
        workgroup: u32 in WORKGROUPS;
        /// Rows a partition and a thread (M in the paper), on all levels.
        rows: u32 in &super::kernels::PIVOTING_PARTITIONS;
        /// Most neighbouring systems that a workgroup takes where those lie closer than rows.
        lanes: u32 in &[1, 2, 4, 8, 16, 32, 64];
        /// Neighbouring threads store together, with shuffles, where there are subgroups and rows lie closer than
        /// systems.
        shuffles: bool in OFF_ON;
    }

    /// How [`Algorithm::Thomas`] divides its work.
    Thomas(ThomasPolicy) {
        /// Threads, and so systems, a workgroup.
        workgroup: u32 in WORKGROUPS;
    }

    /// How [`Algorithm::Cr`], [`Algorithm::Pcr`] and [`Algorithm::CrPcr`] divide their work on chip.
    Cyclic(CyclicPolicy) {
        /// Threads a system.
        threads: u32 in POWERS_TO_1024;
        /// Systems a workgroup.
        systems: u32 in POWERS_TO_1024;
        /// Rows that [`Algorithm::CrPcr`] leaves to the parallel part.
        parallel: u32 in &[16, 32, 64, 128, 256, 512, 1024];
    }

    /// How [`Algorithm::Tpr`] divides its work: the paper's S, L and (L_x, L_y).
    Tpr(TprPolicy) {
        /// Rows a slice (S). Where systems lie closer than rows, a workgroup shares them out among
        /// slices of 8 systems.
        slice: u32 in &[4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
        /// Threads a slice (L): S / 2, S / 4 or S / 8.
        threads: u32 in &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
        /// Threads a problem of the overall reduction (L_x).
        overall_threads: u32 in POWERS_TO_1024;
        /// Problems a workgroup of the overall reduction (L_y).
        overall_systems: u32 in POWERS_TO_1024;
        /// The last steps of a slice with shuffles, where there are subgroups and rows lie closer
        /// than systems.
        shuffles: bool in OFF_ON;
    }

    /// How [`Algorithm::WangMou`] divides its work.
    WangMou(WangMouPolicy) {
        /// Threads a workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Rows a thread.
        rows: u32 in &super::kernels::WANG_MOU_ROWS;
        /// The first steps with shuffles, where there are subgroups and rows lie closer than
        /// systems.
        shuffles: bool in OFF_ON;
        /// In the second pass every slice merges the blocks of all slices for itself, where they
        /// are few, instead of a dispatch between the passes that does it once.
        gather: bool in OFF_ON;
    }

    /// How [`Algorithm::Scan`] divides its work.
    Scan(ScanPolicy) {
        /// Threads a workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Compose with shuffles where there are subgroups, rows lie closer than systems, and two rounds of
        /// shuffles take a workgroup.
        shuffles: bool in OFF_ON;
    }
}

impl Policy {
    /// Fast only where it was measured: how many workgroups run at once differs from device to device.
    pub(crate) fn is_of_one_device(self) -> bool {
        matches!(self, Self::Partition(policy) if policy.together > 0)
    }
}

/// What the algorithm takes for a shape without a policy of the caller's or a tuned one.
pub fn default_policy(
    capabilities: &Capabilities,
    precision: Precision,
    algorithm: Algorithm,
    (stability, structure): (Stability, Structure),
    params: &Params,
) -> Policy {
    match algorithm {
        Algorithm::Auto => Policy::Auto(auto::default_policy(capabilities, structure, params)),
        Algorithm::Partition => Policy::Partition(partition::default_policy(&capabilities.limits, precision, params)),
        Algorithm::Pivoting => Policy::Pivoting(pivoting::default_policy(&capabilities.limits, params)),
        Algorithm::Thomas => Policy::Thomas(thomas::default_policy()),
        Algorithm::Cr | Algorithm::Pcr | Algorithm::CrPcr => {
            Policy::Cyclic(cyclic::default_policy(capabilities, precision, algorithm, params))
        }
        Algorithm::Tpr => Policy::Tpr(tpr::default_policy(capabilities, precision, stability, params)),
        Algorithm::WangMou => Policy::WangMou(wang_mou::default_policy(capabilities, precision, params)),
        Algorithm::Scan => Policy::Scan(scan::default_policy(capabilities, precision, params)),
    }
}
