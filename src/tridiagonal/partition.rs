//! Partition: block summaries, merged as a tree (`shaders/tridiagonal/partition_*.wgsl`).
//!
//! A thread reduces its rows to a block, a workgroup its threads' blocks to one. Where that is
//! the whole system, the same dispatch substitutes back. Otherwise a first pass writes each
//! slice's block (32 bytes a slice in f32), the levels above merge those until a workgroup
//! holds a system's, and on the way down each slice learns the unknowns beside it (8 bytes)
//! and solves its rows in a second pass over them.

use wgpu::Limits;

use super::kernels::{BLOCKS, KernelId};
use super::program::{Params, Program, Slot};
use crate::gpu::wgsl::Precision;

/// How a partition divides the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Threads a workgroup.
    pub workgroup: u32,
    /// Rows a thread.
    pub rows: u32,
    /// Most neighbouring systems a workgroup takes where those lie closer than rows.
    pub lanes: u32,
}

const NODE_VALUES: u64 = 8;

/// Nodes of the tree over `chunks` leaves in each of `lanes` problems, root included.
fn nodes(chunks: u32, lanes: u32) -> u32 {
    let mut count = chunks;
    let mut all = chunks;
    while count > 1 {
        count = count.div_ceil(4);
        all += count;
    }
    all * lanes
}

fn fits(limits: &Limits, precision: Precision, workgroup: u32, nodes: u32) -> bool {
    workgroup <= limits.max_compute_invocations_per_workgroup
        && workgroup <= limits.max_compute_workgroup_size_x
        && u64::from(nodes) * NODE_VALUES * precision.bytes() <= u64::from(limits.max_compute_workgroup_storage_size)
}

/// How the rows of a problem are spread over workgroups.
struct Spread {
    workgroup: u32,
    rows: u32,
    chunks: u32,
    lanes: u32,
    slices: u32,
}

impl Spread {
    fn nodes(&self) -> u32 {
        nodes(self.chunks, self.lanes)
    }

    /// Rounded up, so that neighbouring shapes share a pipeline.
    fn nodes_held(&self, limits: &Limits, precision: Precision) -> u32 {
        let room = self.workgroup + self.workgroup * 5 / 8;
        if fits(limits, precision, self.workgroup, room) { room.max(self.nodes()) } else { self.nodes() }
    }
}

fn default_policy(precision: Precision, params: &Params) -> Policy {
    let _ = (precision, params);
    Policy { workgroup: 256, rows: 8, lanes: 32 }
}

fn spread(limits: &Limits, precision: Precision, params: &Params, policy: Policy) -> Spread {
    let Policy { rows, .. } = policy;
    let (n, problems) = (params.n, params.problems);
    let wanted = n.div_ceil(rows);
    // Systems side by side: fewer than 8 lanes would waste most of each memory sector.
    let least_lanes = if params.systems_first() { problems.min(8) } else { 1 };
    let mut workgroup = policy.workgroup;
    while workgroup > 16 && !fits(limits, precision, workgroup, workgroup + workgroup * 5 / 8) {
        workgroup /= 2;
    }
    // One dispatch, if a larger workgroup makes that possible.
    let mut larger = workgroup;
    while u64::from(wanted) * u64::from(least_lanes) > u64::from(larger)
        && fits(limits, precision, larger * 2, nodes(larger * 2 / least_lanes, least_lanes))
    {
        larger *= 2;
    }
    if u64::from(wanted) * u64::from(least_lanes) <= u64::from(larger) {
        let most = if params.systems_first() { policy.lanes.max(least_lanes) } else { larger };
        let lanes = (larger / wanted).min(most).min(problems).max(1);
        return Spread { workgroup: larger, rows, chunks: wanted, lanes, slices: 1 };
    }
    let lanes = if params.systems_first() { problems.min(policy.lanes).min(workgroup / 8).max(1) } else { 1 };
    let chunks = workgroup / lanes;
    Spread { workgroup, rows, chunks, lanes, slices: n.div_ceil(chunks * rows) }
}

/// Adds the dispatches for a shape.
pub(crate) fn plan(limits: &Limits, precision: Precision, params: Params) -> Program {
    let policy = default_policy(precision, &params);
    let mut program = Program::default();
    let base = spread(limits, precision, &params, policy);
    let block_bytes = NODE_VALUES * precision.bytes();
    let pair_bytes = 2 * precision.bytes();
    let problems = u64::from(params.problems);
    let groups = u64::from(params.problems.div_ceil(base.lanes));
    let workgroups = groups * u64::from(base.slices);
    let base_params =
        Params { chunks: base.chunks, lanes: base.lanes, slices: base.slices, workgroups: workgroups as u32, ..params };
    let held = base.nodes_held(limits, precision);
    let solve = KernelId::PartitionSolve { rows: base.rows, workgroup: base.workgroup, nodes: held };
    // On chip: four vectors in, one out.
    program.values_per_row = 5.0;
    if base.slices == 1 {
        let none = program.scratch(pair_bytes);
        program.push(
            solve,
            base_params,
            workgroups,
            &[Slot::Inputs, Slot::Trouble, Slot::X, Slot::Scratch { binding: 7, index: none }],
        );
        return program;
    }

    // The rows twice; a slice's block and neighbours written and read twice.
    program.values_per_row = 9.0 + 30.0 / f64::from(base.chunks * base.rows);
    let mut children = base.slices;
    let mut blocks = program.scratch(problems * u64::from(children) * block_bytes);
    let bottom = program.scratch(problems * u64::from(children) * pair_bytes);
    program.push(
        KernelId::PartitionReduce { rows: base.rows, workgroup: base.workgroup, nodes: held },
        base_params,
        workgroups,
        &[Slot::Inputs, Slot::Trouble, Slot::Scratch { binding: 6, index: blocks }],
    );
    // Up: (params, workgroup, blocks below, neighbours to write) of each level.
    let mut levels = Vec::new();
    let mut below = bottom;
    loop {
        let mut workgroup = 256;
        while workgroup > 16 && !fits(limits, precision, workgroup, workgroup + workgroup * 5 / 8) {
            workgroup /= 2;
        }
        let wanted = children.div_ceil(BLOCKS);
        let chunks = wanted.min(workgroup);
        let lanes = (workgroup / chunks).min(params.problems).max(1);
        let slices = wanted.div_ceil(chunks);
        let workgroups = u64::from(params.problems.div_ceil(lanes)) * u64::from(slices);
        let level = Params { chunks, lanes, slices, children, workgroups: workgroups as u32, ..params.rows_first() };
        let nodes = workgroup + workgroup * 5 / 8;
        if slices == 1 {
            let none = program.scratch(pair_bytes);
            program.push(
                KernelId::BlocksSolve { workgroup, nodes },
                level,
                workgroups,
                &[
                    Slot::Scratch { binding: 1, index: blocks },
                    Slot::Scratch { binding: 2, index: none },
                    Slot::Scratch { binding: 3, index: below },
                ],
            );
            break;
        }
        let above = program.scratch(problems * u64::from(slices) * block_bytes);
        let neighbours = program.scratch(problems * u64::from(slices) * pair_bytes);
        program.push(
            KernelId::BlocksReduce { workgroup, nodes },
            level,
            workgroups,
            &[Slot::Scratch { binding: 1, index: blocks }, Slot::Scratch { binding: 2, index: above }],
        );
        levels.push((level, workgroups, workgroup, blocks, neighbours, below));
        blocks = above;
        below = neighbours;
        children = slices;
    }
    for (level, workgroups, workgroup, blocks, neighbours, below) in levels.into_iter().rev() {
        program.push(
            KernelId::BlocksSolve { workgroup, nodes: workgroup + workgroup * 5 / 8 },
            level.with_neighbours(true),
            workgroups,
            &[
                Slot::Scratch { binding: 1, index: blocks },
                Slot::Scratch { binding: 2, index: neighbours },
                Slot::Scratch { binding: 3, index: below },
            ],
        );
    }
    program.push(
        solve,
        base_params.with_neighbours(true),
        workgroups,
        &[Slot::Inputs, Slot::Trouble, Slot::X, Slot::Scratch { binding: 7, index: bottom }],
    );
    program
}
