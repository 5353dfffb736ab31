//! The policy of cyclic reduction: the parameters, the default, and what fits a workgroup.

use super::super::{Algorithm, PlanRequest};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, POWERS_TO_1024, check_memory, check_workgroup, policy};
use crate::precision::Precision;

policy! {
    /// How [`Algorithm::Cr`], [`Algorithm::Pcr`] and [`Algorithm::CrPcr`] divide their work on chip.
    CyclicPolicy {
        /// Threads per system.
        threads: u32 in POWERS_TO_1024;
        /// Systems per workgroup.
        systems: u32 in POWERS_TO_1024;
        /// Rows that [`Algorithm::CrPcr`] leaves to the parallel part.
        parallel: u32 in &[16, 32, 64, 128, 256, 512, 1024];
        /// Most rows per system in workgroup memory, as far as they fit. Steps on longer systems take a dispatch each, through device memory.
        held: u32 in &[2, 64, 256, 1024, MOST_HELD];
        /// Most rows per lane that the parallel part keeps in registers and passes on by shuffles. With 0, or for systems with more rows, it uses
        /// workgroup memory.
        lane_rows: u32 in &[0, 1, 4, 16];
        /// Most subgroups per system with rows in registers. G subgroups first take log2 G steps through workgroup memory; then each subgroup has
        /// every G-th row.
        subgroups: u32 in &[1, 2, 4, 8, 16, 32];
        /// Place rows in workgroup memory such that rows 2, 4, 8, ... apart lie in different banks.
        spread: bool in OFF_ON;
    }
}

/// Rows per group in which `spread` exchanges places.
const SPREAD_ROWS: u32 = 8;
/// Most rows per system on chip.
const MOST_HELD: u32 = 4096;
/// Numbers of a row: p, q, r and the complement.
pub(crate) const ROW_VALUES: u64 = 4;

/// Rows that a workgroup's memory holds.
pub(crate) fn capacity(capabilities: &Capabilities, precision: Precision) -> u32 {
    let memory = u64::from(capabilities.limits.max_compute_workgroup_storage_size);
    ((memory / (ROW_VALUES * precision.bytes())) as u32).min(MOST_HELD)
}

impl CyclicPolicy {
    /// One thread; systems on chip where they fit, rows in their order, shuffles of single rows.
    pub(crate) const PLAIN: Self =
        Self { threads: 1, systems: 1, parallel: 16, held: MOST_HELD, lane_rows: 1, subgroups: 1, spread: false };
}

/// One thread per row that the first step reduces; several small systems per workgroup. On GPUs, PCR has up to 1024 threads (512
/// above 1024 rows), and CR and CR-PCR spread their rows in f32 from 128 rows on.
pub fn default_policy(request: &PlanRequest<'_>) -> CyclicPolicy {
    let &PlanRequest { capabilities, precision, algorithm, ref params, .. } = request;
    let held = params.n.min(capacity(capabilities, precision));
    let parallel = if capabilities.subgroup_lanes > 1 { capabilities.subgroup_lanes.clamp(16, 64) } else { 64 };
    let only_parallel = algorithm == Algorithm::Pcr;
    let busy = if only_parallel { held } else { held / 2 };
    let most = match (only_parallel && !capabilities.software, held) {
        (true, ..=1024) => 1024,
        (true, _) => 512,
        (false, _) => 256,
    };
    let threads = busy.next_power_of_two().min(most).min(capabilities.limits.max_compute_invocations_per_workgroup);
    // Systems side by side: eight fill a memory sector.
    let wanted = if params.systems_first() { 8 } else { 1 }.max(64 / threads);
    let systems = wanted.min(params.problems.next_power_of_two()).min((256 / threads).max(1));
    let spread = !only_parallel && !capabilities.software && precision == Precision::F32 && held >= 128;
    fitted(capabilities, precision, held, CyclicPolicy { threads, systems, parallel, spread, ..CyclicPolicy::PLAIN })
}

/// The policy with its number of systems lowered until workgroup memory suffices.
pub fn fitted(capabilities: &Capabilities, precision: Precision, held: u32, policy: CyclicPolicy) -> CyclicPolicy {
    let mut policy = policy;
    while policy.systems > 1 && check(capabilities, precision, held, policy).is_err() {
        policy.systems /= 2;
    }
    policy
}

/// [`Error::Limit`](crate::Error::Limit) if the device cannot run a policy for systems of `held` rows.
pub fn check(capabilities: &Capabilities, precision: Precision, held: u32, policy: CyclicPolicy) -> Result<()> {
    let CyclicPolicy { threads, systems, .. } = policy;
    check_workgroup(capabilities, "threads x systems of the policy of cyclic reduction", threads * systems)?;
    let bytes = u64::from(rows_held(held, policy)) * u64::from(systems) * ROW_VALUES * precision.bytes();
    check_memory(capabilities, "the systems of a workgroup of cyclic reduction", bytes)
}

/// Places in workgroup memory of a system of n rows.
pub fn rows_held(n: u32, policy: CyclicPolicy) -> u32 {
    if policy.spread { n.next_multiple_of(SPREAD_ROWS) } else { n }
}
