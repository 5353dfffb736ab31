//! Pivoting: recursive partitions with partial pivoting (`shaders/tridiagonal/pivoting_*.wgsl`).
//!
//! A thread takes a partition of M rows and eliminates its inner unknowns from above and from below; the two rows that
//! remain go to workgroup memory, where M of them are a partition again, which two threads eliminate, one from each
//! side, until a slice has two rows left. These are a coarse system in scratch (32 bytes per slice in f32), solved the
//! same way, whose unknowns (8 bytes per slice) a second pass over the rows starts from: it eliminates again, and
//! substitutes on every level from the side that has the stronger pivots. Where neither has strong ones, a partition's
//! inner unknowns are solved from all its rows once its ends are known. Nothing else is kept, and no thread takes a way
//! of its own for an exchange's sake.
//!
//! A periodic system is a ring on every level: slices have neighbours all around, and the two rows that are left at the top
//! tie their unknowns to each other from both sides (`pivoting_closed.wgsl`).
//!
//! Where a slice is all of its system and four rows are left at the top, they are solved at once (`pivoting_top.wgsl`).
//!
//! Rows are scaled by powers of two, on every level, so that pivots compare as scaled ones.

use wgpu::Limits;

use super::kernels::{KernelId, Level, Program, Variant};
use super::partition::Spread;
use super::policy::PivotingPolicy;
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot, Tree, check_workgroup};
use crate::precision::Precision;

/// Numbers of a row.
const ROW_VALUES: u64 = 4;
/// The least rows of a slice, where there are several: its two rows and unknowns take 10 numbers of scratch.
const LEAST_SLICE: u32 = 128;

/// The policy that measured best on an H200 (benches/results/pivoting-log.md).
pub(crate) fn default_policy(limits: &Limits, params: &Params) -> PivotingPolicy {
    let policy = |workgroup, lanes| PivotingPolicy { workgroup, rows: 8, lanes, shuffles: true };
    let rows_in_all = u64::from(params.n) * u64::from(params.problems);
    let largest = limits.max_compute_invocations_per_workgroup.min(256);
    if params.systems_first() {
        return policy(largest, 16);
    }
    match params.n {
        // Two systems of 512 rows, or as many threads as a whole system takes.
        ..=2048 => policy(params.n.div_ceil(8).next_power_of_two().clamp(128, 256).min(largest), 1),
        // As few slices as fill a device.
        _ if rows_in_all <= 1 << 21 => policy(largest, 1),
        _ => policy(64, 1),
    }
}

fn fits(limits: &Limits, precision: Precision, rows: u32, tree: Tree) -> bool {
    tree.workgroup <= limits.max_compute_invocations_per_workgroup
        && tree.workgroup <= limits.max_compute_workgroup_size_x
        // The coarse rows, and a pivot a thread.
        && (u64::from(tree.coarse_nodes(rows)) * ROW_VALUES + u64::from(tree.workgroup)) * precision.bytes()
            <= u64::from(limits.max_compute_workgroup_storage_size)
}

/// Slices of a system.
fn spread(
    capabilities: &Capabilities,
    precision: Precision,
    policy: PivotingPolicy,
    params: &Params,
    variant: Variant,
) -> Spread {
    let PivotingPolicy { workgroup, rows, lanes, shuffles } = policy;
    let limits = &capabilities.limits;
    let systems_first = params.systems_first();
    let problems = params.problems.next_power_of_two();
    let tree = |log_chunks, lanes: u32| {
        let tree = Tree { workgroup: lanes << log_chunks, log_chunks, systems_first, log_run: 0 };
        if shuffles { tree.with_shuffles(capabilities.subgroup_lanes) } else { tree }
    };
    // Systems side by side: fewer than 8 lanes would waste most of each memory sector.
    let least_lanes = if systems_first { problems.min(8) } else { 1 };
    // On a ring an even number, which pivoting_closed.wgsl sees to.
    let n = if variant.closed { params.n.next_multiple_of(2) } else { params.n };
    let log_chunks = n.div_ceil(rows).next_power_of_two().ilog2();
    let most = (workgroup >> log_chunks).min(if systems_first { lanes } else { workgroup }).min(problems);
    let whole = (0..=most.max(1).ilog2()).rev().map(|log_lanes| tree(log_chunks, 1 << log_lanes));
    let whole = whole.filter(|tree| tree.lanes() >= least_lanes && tree.workgroup <= workgroup);
    if let Some(tree) = whole.into_iter().find(|&tree| fits(limits, precision, rows, tree)) {
        return Spread { tree, slices: 1 };
    }
    let lanes = if systems_first { least_lanes.max(lanes.min(problems)) } else { 1 };
    // At the least, what leaves scratch small, whatever the workgroup.
    let least = LEAST_SLICE.div_ceil(rows).next_power_of_two().ilog2();
    let held = |log_chunks| {
        (0..=lanes.ilog2())
            .rev()
            .map(|log_lanes| tree(log_chunks, 1 << log_lanes))
            .find(|&tree| (tree.workgroup <= workgroup || log_chunks == least) && fits(limits, precision, rows, tree))
    };
    let found = (least..=10).rev().filter_map(held).find(|tree| tree.lanes() >= least_lanes);
    let tree = found.or_else(|| held(least)).unwrap_or_else(|| tree(least, 1));
    Spread { tree, slices: n.div_ceil(tree.chunks() * rows) }
}

/// How coarse systems are divided: a workgroup takes them whole as far as it can.
const LEVEL_POLICY: PivotingPolicy = PivotingPolicy { workgroup: 256, rows: 8, lanes: 1, shuffles: false };

/// The dispatches for a shape.
///
/// # Errors
/// [`Error::Limit`](crate::Error::Limit) for a policy that cannot run.
pub fn plan(
    capabilities: &Capabilities,
    precision: Precision,
    policy: PivotingPolicy,
    params: Params,
    variant: Variant,
) -> Result<Program> {
    check_workgroup(capabilities, "the pivoting policy's workgroup", policy.workgroup)?;
    let mut program = Program::default();
    let Spread { tree, slices } = spread(capabilities, precision, policy, &params, variant);
    program.values_per_row = if slices == 1 { 5.0 } else { 9.0 + 20.0 / f64::from(tree.chunks() * policy.rows) };
    let slots = [&[Slot::Inputs][..], &[Slot::Status, Slot::Output]];
    passes(&mut program, capabilities, precision, (Level::Caller, policy, variant), params, slots);
    Ok(program)
}

/// Adds the passes over a level's rows, and the levels above between them.
fn passes(
    program: &mut Program,
    capabilities: &Capabilities,
    precision: Precision,
    (level, policy, variant): (Level, PivotingPolicy, Variant),
    params: Params,
    [rows_in, x_out]: [&[Slot]; 2],
) {
    let base = spread(capabilities, precision, policy, &params, variant);
    let Spread { tree, slices } = base;
    let (here, workgroups) = base.params(&params);
    let rows = policy.rows;
    let solve = KernelId::PivotingSolve { level, rows, tree, variant, whole: slices == 1 };
    if slices == 1 {
        let none = Slot::Scratch { binding: 7, index: program.scratch(2 * precision.bytes()) };
        program.push(solve, here, workgroups, &[rows_in, x_out, &[none]].concat());
        return;
    }
    let coarse = 2 * u64::from(params.problems) * u64::from(slices);
    let ends = program.scratch(coarse * ROW_VALUES * precision.bytes());
    let x = program.scratch(coarse * precision.bytes());
    let reduce = KernelId::PivotingReduce { level, rows, tree, variant };
    program.push(reduce, here, workgroups, &[rows_in, &[Slot::Scratch { binding: 6, index: ends }]].concat());
    let above = params.coarse(2 * slices);
    let found = [Slot::Status, Slot::Scratch { binding: 6, index: x }];
    let slots = [&[Slot::Scratch { binding: 8, index: ends }][..], &found[..]];
    passes(program, capabilities, precision, (Level::Scratch, LEVEL_POLICY, variant), above, slots);
    let beside = Slot::Scratch { binding: 7, index: x };
    program.push(solve, here.with_neighbours(true), workgroups, &[rows_in, x_out, &[beside]].concat());
}
