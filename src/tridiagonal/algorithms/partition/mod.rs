//! Partition: block summaries, merged as a tree (`shaders/tridiagonal/partition_*.wgsl`).
//!
//! A thread reduces its rows to a block, and a workgroup reduces its threads' blocks to one. If a workgroup holds the whole system, the
//! same dispatch substitutes back. Otherwise a first pass writes the block of each slice (32 bytes per slice in f32), and a second pass
//! over the rows solves each slice from the two unknowns beside it. If slices are few, each slice finds these unknowns by merging all
//! blocks itself. Otherwise they come from levels of blocks above: the same two passes over the blocks of the level below (8 bytes per
//! slice). If the policy allows it, slices that run at once read each other's blocks within one dispatch, and the rows are read once.

pub mod kernels;
pub mod policies;

use wgpu::Limits;

use self::kernels::{Leaf, Neighbours, PartitionKernel};
pub use self::policies::PartitionPolicy;
use super::{Divide, PlanRequest};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot, Tree, check_workgroup};
use crate::precision::Precision;
use crate::tridiagonal::kernels::{Kernel, Program};

/// Rows that a thread may take.
pub const ROWS: [u32; 5] = [4, 8, 12, 16, 32];
/// Blocks that a thread of the levels above may take.
pub const BLOCKS: [u32; 4] = [1, 2, 4, 8];

const NODE_VALUES: u64 = 8;
/// Values per problem that are kept after gathering: the unknowns beside its slice.
const BESIDE_VALUES: u64 = 2;

pub fn fits(limits: &Limits, precision: Precision, tree: Tree) -> bool {
    tree.workgroup <= limits.max_compute_invocations_per_workgroup
        && tree.workgroup <= limits.max_compute_workgroup_size_x
        && (u64::from(tree.nodes()) * NODE_VALUES + u64::from(tree.problems()) * BESIDE_VALUES) * precision.bytes()
            <= u64::from(limits.max_compute_workgroup_storage_size)
}

/// Division of a problem's rows among workgroups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slicing {
    pub tree: Tree,
    pub slices: u32,
}

impl Slicing {
    /// The parameters of a pass over the rows, and its workgroups.
    pub fn params(&self, params: &Params) -> (Params, u64) {
        let workgroups = u64::from(params.problems.div_ceil(self.tree.problems())) * u64::from(self.slices);
        let log_chunks = self.tree.log_chunks;
        (Params { slices: self.slices, log_chunks, ..*params }, workgroups)
    }
}

/// Slices of a system; a workgroup's tree fits its memory.
pub(crate) fn slicing(
    capabilities: &Capabilities,
    precision: Precision,
    params: &Params,
    policy: PartitionPolicy,
) -> Slicing {
    let limits = &capabilities.limits;
    let with_shuffles =
        |tree: Tree| if policy.shuffles { tree.merged_by_shuffles(capabilities.subgroup_lanes) } else { tree };
    let systems_first = params.systems_first();
    let log_chunks = params.n.div_ceil(policy.rows).next_power_of_two().ilog2();
    // Systems side by side: fewer than 8 would waste most of each memory sector.
    let least_problems = if systems_first { params.problems.min(8).next_power_of_two() } else { 1 };
    let mut workgroup = policy.workgroup;
    // Few chunks per problem or many: the tree that comes of it lies between.
    let holds =
        |workgroup: u32, log_chunks| fits(limits, precision, Tree { workgroup, log_chunks, systems_first, log_run: 0 });
    while workgroup > 16 && !(holds(workgroup, 2) && holds(workgroup, workgroup.ilog2())) {
        workgroup /= 2;
    }
    // One dispatch, if a larger workgroup makes that possible.
    let whole = |workgroup| Tree { workgroup, log_chunks, systems_first, log_run: 0 };
    let mut larger = workgroup;
    while larger >> log_chunks < least_problems && larger <= 1024 {
        larger *= 2;
    }
    if larger >> log_chunks >= least_problems && fits(limits, precision, whole(larger)) {
        return Slicing { tree: with_shuffles(whole(larger)), slices: 1 };
    }
    let problems =
        if systems_first { least_problems.max(policy.lanes.min(params.problems.next_power_of_two())) } else { 1 };
    let problems = problems.min(workgroup / 4).max(1);
    let tree = Tree { workgroup, log_chunks: (workgroup / problems).ilog2(), systems_first, log_run: 0 };
    Slicing { tree: with_shuffles(tree), slices: params.n.div_ceil(tree.chunks() * policy.rows) }
}

/// Blocks per thread and tree of a level above the rows: as few blocks and as large a workgroup as
/// let one workgroup hold them all, since such a level's time is its latency.
fn level_tree(limits: &Limits, precision: Precision, children: u32, problems: u32) -> (u32, Tree) {
    let tree = |workgroup, log_chunks| Tree { workgroup, log_chunks, systems_first: false, log_run: 0 };
    let largest = [1024, 512, 256, 128, 64, 32, 16]
        .into_iter()
        .find(|&workgroup: &u32| fits(limits, precision, tree(workgroup, workgroup.ilog2())))
        .unwrap_or(16);
    // A single workgroup reads so slowly that a level more is soon faster (seen at 8192: 26 us
    // against 12).
    let whole = if children <= 2048 { &BLOCKS[..] } else { &[] };
    for &blocks in whole {
        let log_chunks = children.div_ceil(blocks).next_power_of_two().ilog2();
        if 1 << log_chunks <= largest {
            // Several problems per workgroup, where there are and they are small.
            let room = largest.min(256).max(1 << log_chunks);
            let workgroup = (problems.min(1024).next_power_of_two() << log_chunks).clamp(32.min(largest), room);
            return (blocks, tree(workgroup.max(1 << log_chunks), log_chunks));
        }
    }
    let workgroup = largest.min(256);
    (4, tree(workgroup, workgroup.ilog2()))
}

impl Divide for PartitionPolicy {
    fn default_for(request: &PlanRequest<'_>) -> Self {
        policies::default_policy(&request.capabilities.limits, request.precision, &request.params)
    }

    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, precision, params, .. } = request;
        check_workgroup(capabilities, "the partition policy's workgroup", self.workgroup)?;
        let mut program = Program::default();
        let base = slicing(capabilities, precision, &params, self);
        let Slicing { tree, slices } = base;
        let leaf = Leaf::Rows(self.rows);
        let solve = |neighbours| PartitionKernel::Solve { leaf, tree, neighbours };
        // On chip: four vectors in, one out.
        program.values_per_row = 5.0;
        if slices == 1 {
            let none = program.scratch(2 * precision.bytes());
            let slots = [Slot::Inputs, Slot::Status, Slot::Output, Slot::Scratch { binding: 7, index: none }];
            let (here, workgroups) = base.params(&params);
            program.push(solve(Neighbours::Read), here, workgroups, &slots);
            return Ok(program);
        }
        if let Some(blocks) = together(capabilities, precision, self, &base, &params) {
            let (here, workgroups) = base.params(&params);
            // Two halves of words, and a counter.
            let words = u64::from(params.problems) * u64::from(slices) * NODE_VALUES * precision.bytes() * 2;
            let words = Slot::Scratch { binding: 7, index: program.kept_scratch(words, 0xff) };
            let counter = Slot::Scratch { binding: 8, index: program.kept_scratch(4, 0) };
            // Every workgroup reads all its problem's blocks.
            program.values_per_row += f64::from(slices) * NODE_VALUES as f64 / f64::from(tree.chunks() * self.rows);
            let kernel = PartitionKernel::Together { rows: self.rows, tree, blocks };
            let slots = [Slot::Inputs, Slot::Status, Slot::Output, words, counter];
            program.push(kernel, here, workgroups, &slots);
            return Ok(program);
        }
        // The rows twice; a slice's block and neighbours written and read twice.
        program.values_per_row = 9.0 + 30.0 / f64::from(tree.chunks() * self.rows);
        let reduce = PartitionKernel::Reduce { leaf, tree };
        two_passes(&mut program, capabilities, precision, &params, self, base, Passes { reduce, solve, kept: None });
        Ok(program)
    }
}

/// The kernels of both passes over the rows, and what the first keeps for the second.
pub(crate) struct Passes<K, F: Fn(Neighbours) -> K> {
    pub reduce: K,
    pub solve: F,
    pub kept: Option<Slot>,
}

/// Adds both passes over the rows and the levels between them.
pub(crate) fn two_passes<K: Kernel, F: Fn(Neighbours) -> K>(
    program: &mut Program,
    capabilities: &Capabilities,
    precision: Precision,
    params: &Params,
    policy: PartitionPolicy,
    base: Slicing,
    passes: Passes<K, F>,
) {
    let (here, workgroups) = base.params(params);
    let slices = u64::from(params.problems) * u64::from(base.slices);
    let blocks = program.scratch(slices * NODE_VALUES * precision.bytes());
    let mut slots = vec![Slot::Inputs, Slot::Scratch { binding: 6, index: blocks }];
    slots.extend(passes.kept);
    program.push(passes.reduce, here, workgroups, &slots);
    let here = here.with_neighbours(true);
    let beside = |index| {
        let mut slots = vec![Slot::Inputs, Slot::Status, Slot::Output, Slot::Scratch { binding: 7, index }];
        slots.extend(passes.kept);
        slots
    };
    if let Some(each) = gathered(policy, base.tree, base.slices) {
        program.push((passes.solve)(Neighbours::Gather(each)), here, workgroups, &beside(blocks));
        return;
    }
    let bottom = program.scratch(slices * 2 * precision.bytes());
    let below = Below { children: base.slices, blocks, neighbours: bottom };
    levels(program, capabilities, precision, params, policy, below);
    program.push((passes.solve)(Neighbours::Read), here, workgroups, &beside(bottom));
}

/// 5 ms at 100 billion rows per second: drivers stop dispatches that take seconds.
const MOST_ROWS_AT_WORST: u64 = 1 << 29;

/// Blocks per thread, where the slices of all problems may wait for each other.
fn together(
    capabilities: &Capabilities,
    precision: Precision,
    policy: PartitionPolicy,
    base: &Slicing,
    params: &Params,
) -> Option<u32> {
    // The tree's memory is not free for the slices' while the rows' is needed: shuffles keep theirs in
    // registers.
    let kept = base.tree.log_run > 0;
    // Only 64-bit integers show an f64's bits.
    let bits = precision == Precision::F32 || capabilities.features.int64_atomics;
    // At the worst, every workgroup does the work of all of its system.
    let rows_at_worst = u64::from(base.slices) * u64::from(params.n) * u64::from(params.problems);
    if kept && bits && base.slices <= policy.together && rows_at_worst <= MOST_ROWS_AT_WORST {
        gathered(PartitionPolicy { gather: true, ..policy }, base.tree, base.slices)
    } else {
        None
    }
}

/// Blocks per thread, where a slice may merge its problem's blocks for itself.
fn gathered(policy: PartitionPolicy, tree: Tree, slices: u32) -> Option<u32> {
    let each = slices.div_ceil(tree.chunks());
    if policy.gather { BLOCKS.into_iter().find(|&blocks| blocks >= each) } else { None }
}

/// What a level of blocks has below it: their number a problem, and where they and the unknowns
/// beside them go.
#[derive(Clone, Copy)]
struct Below {
    children: u32,
    blocks: usize,
    neighbours: usize,
}

/// The dispatches between two passes of another family over slices of one system.
pub(crate) struct Between {
    pub program: Program,
    /// Scratch for the block of each slice, which the first pass writes.
    pub blocks: usize,
    /// Scratch for the two unknowns beside each slice, which the second pass reads if there is more than one.
    pub neighbours: usize,
}

/// The dispatches between two passes over this many slices.
pub(crate) fn between(capabilities: &Capabilities, precision: Precision, slices: u32) -> Between {
    let mut program = Program::default();
    let blocks = program.scratch(u64::from(slices) * NODE_VALUES * precision.bytes());
    let neighbours = program.scratch(u64::from(slices) * 2 * precision.bytes());
    if slices > 1 {
        let policy = PartitionPolicy { workgroup: 64, rows: 4, lanes: 1, shuffles: true, gather: true, together: 0 };
        let below = Below { children: slices, blocks, neighbours };
        levels(&mut program, capabilities, precision, &Params::contiguous(slices, 1), policy, below);
    }
    Between { program, blocks, neighbours }
}

/// Adds the dispatches between the two passes over the rows: up until one workgroup holds a
/// problem's blocks, and down again.
fn levels(
    program: &mut Program,
    capabilities: &Capabilities,
    precision: Precision,
    params: &Params,
    policy: PartitionPolicy,
    below: Below,
) {
    let problems = u64::from(params.problems);
    let (blocks, mut tree) = level_tree(&capabilities.limits, precision, below.children, params.problems);
    if policy.shuffles {
        tree = tree.merged_by_shuffles(capabilities.subgroup_lanes);
    }
    let leaf = Leaf::Blocks(blocks);
    let slices = below.children.div_ceil(blocks * tree.chunks());
    let (level, workgroups) = Slicing { tree, slices }.params(&Params { children: below.children, ..*params });
    let beside = |index| {
        [
            Slot::Scratch { binding: 6, index: below.neighbours },
            Slot::Scratch { binding: 7, index },
            Slot::Scratch { binding: 8, index: below.blocks },
        ]
    };
    let solve = |neighbours| PartitionKernel::Solve { leaf, tree, neighbours };
    if slices == 1 {
        let none = program.scratch(2 * precision.bytes());
        program.push(solve(Neighbours::Read), level, workgroups, &beside(none));
        return;
    }
    let above = program.scratch(problems * u64::from(slices) * NODE_VALUES * precision.bytes());
    program.push(
        PartitionKernel::Reduce { leaf, tree },
        level,
        workgroups,
        &[Slot::Scratch { binding: 6, index: above }, Slot::Scratch { binding: 8, index: below.blocks }],
    );
    let level = level.with_neighbours(true);
    if gathered(policy, tree, slices).is_some_and(|each| each <= blocks) {
        program.push(solve(Neighbours::Gather(blocks)), level, workgroups, &beside(above));
        return;
    }
    let neighbours = program.scratch(problems * u64::from(slices) * 2 * precision.bytes());
    let next = Below { children: slices, blocks: above, neighbours };
    levels(program, capabilities, precision, params, policy, next);
    program.push(solve(Neighbours::Read), level, workgroups, &beside(neighbours));
}
