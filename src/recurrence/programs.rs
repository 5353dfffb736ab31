//! The dispatches of the algorithms.

use super::kernels::KernelId;
use super::options::Algorithm;
use crate::gpu::Capabilities;
use crate::gpu::wgsl::Precision;
use crate::plan::{Params, Slot, Tree};

pub(crate) type Program = crate::plan::Program<KernelId>;

/// Rows a thread: what it composes with the others' maps costs the same for any number.
pub(super) fn rows_each(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 16,
        Precision::F64 => 8,
    }
}

/// Threads a workgroup, and in one pass.
const WORKGROUP: u32 = 256;
const HOLDING: u32 = 512;

/// Rows in all that make fewer slices than keep a large device busy.
const SHORT: u64 = 1 << 21;

/// Runs of lanes a workgroup at the least, where one holds rows of the slice before.
const LEAST_RUNS: u32 = 4;

/// Neighbouring sequences that a workgroup takes where those lie closer than rows.
const LANES: u32 = 16;

/// How the rows of a sequence are spread over workgroups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    rows: u32,
    tree: Tree,
    pub slices: u32,
    held: Held,
}

/// What the threads of a workgroup hold in one pass: with shuffles chunks of eight rows, of each segment of
/// their run of lanes one, so that neighbouring lanes' lie side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Held {
    /// Rows of a chunk.
    pub rows: u32,
    /// Chunks a thread.
    pub each: u32,
    /// Values that do not depend on the slice before are stored before that is asked: of use where rows of it that fit
    /// the first run seldom are enough.
    pub early: bool,
    pub tree: Tree,
}

impl Held {
    pub fn new(precision: Precision, tree: Tree) -> Self {
        let rows = rows_each(precision);
        // Eight rows of a lane, then eight of the next: a load takes in half of each 32 bytes, the next the other half.
        match tree.log_run {
            0 => Self { rows, each: 1, early: false, tree },
            _ => Self { rows: 8, each: rows / 8, early: precision == Precision::F64, tree },
        }
    }

    /// Of a workgroup: with shuffles, the first run's are of the slice before.
    pub fn slice_chunks(self) -> u32 {
        let before = if self.tree.log_run > 0 { 1 << self.tree.log_run } else { 0 };
        self.each * (self.tree.workgroup - before)
    }
}

/// Maps of slices that a thread asks for at once.
pub(super) const MAPS_AHEAD: u32 = 8;

/// No more threads a workgroup than the device has: a power of two.
fn workgroup(capabilities: &Capabilities, wanted: u32) -> u32 {
    let limits = &capabilities.limits;
    let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    // Runs of lanes are composed by a run of lanes.
    let shuffled = match capabilities.subgroup_lanes {
        0 | 1 => u32::MAX,
        lanes => lanes.saturating_mul(lanes),
    };
    wanted.min(shuffled).min(1 << most.max(1).ilog2())
}

/// A workgroup whose threads go through many slices of one sequence: so many that each has to ask for maps once.
pub(super) fn propagating(capabilities: &Capabilities, precision: Precision, slices: u32) -> Tree {
    // Two maps a thread in workgroup memory: a summand with an exponent and one without. Some bytes more are shared.
    let map_bytes = 7 * precision.bytes() as u32;
    let memory = capabilities.limits.max_compute_workgroup_storage_size.saturating_sub(256);
    let held = (memory / map_bytes).clamp(1, 1024);
    let most = 1 << held.ilog2();
    let wanted = slices.div_ceil(MAPS_AHEAD).next_power_of_two().clamp(64.min(most), most);
    let workgroup = workgroup(capabilities, wanted);
    Tree { workgroup, log_chunks: workgroup.ilog2(), systems_first: false, log_run: 0 }
        .with_shuffles(capabilities.subgroup_lanes)
}

/// For a shape.
pub(crate) fn spread(capabilities: &Capabilities, precision: Precision, params: &Params) -> Spread {
    let workgroup = workgroup(capabilities, WORKGROUP);
    let rows = rows_each(precision);
    let needed = params.n.div_ceil(rows).next_power_of_two();
    let problems = params.problems.next_power_of_two();
    let systems_first = params.systems_first();
    let abreast = if systems_first { LANES.min(problems).min(workgroup) } else { 1 };
    let chunks = needed.min(workgroup / abreast);
    // Short sequences share a workgroup.
    let lanes = if chunks == needed { (workgroup / chunks).min(problems) } else { abreast };
    let tree = Tree { workgroup: chunks * lanes, log_chunks: chunks.ilog2(), systems_first, log_run: 0 };
    let tree = tree.with_shuffles(capabilities.subgroup_lanes);
    let in_all = u64::from(params.n) * u64::from(params.problems);
    let holding = if in_all <= SHORT { WORKGROUP } else { HOLDING };
    let holding = self::workgroup(capabilities, holding);
    let alone = Tree { workgroup: holding, log_chunks: holding.ilog2(), systems_first: false, log_run: 0 };
    let shuffled = alone.with_shuffles(capabilities.subgroup_lanes);
    let alone = if shuffled.workgroup >> shuffled.log_run >= LEAST_RUNS { shuffled } else { alone };
    Spread { rows, tree, slices: params.n.div_ceil(rows * chunks), held: Held::new(precision, alone) }
}

/// Bytes that a slice tells in one pass: two numbers and two exponents of its map, and the value behind it.
fn told_bytes(precision: Precision) -> u64 {
    3 * precision.bytes() + 8
}

/// The dispatches of an algorithm that is not auto, and suits the spread.
pub(crate) fn program(algorithm: Algorithm, precision: Precision, spread: Spread, params: Params) -> Program {
    let Spread { rows, tree, slices, held } = spread;
    let params = Params { slices, ..params };
    let bytes = precision.bytes();
    let mut program = Program { values_per_row: 3.0, ..Program::default() };
    let caller = [Slot::Inputs, Slot::Trouble, Slot::Output];
    let workgroups = u64::from(params.problems.div_ceil(tree.lanes())) * u64::from(slices);
    if slices == 1 {
        program.push(KernelId::Apply { rows, tree, several: false }, params, workgroups, &caller);
        return program;
    }
    if algorithm == Algorithm::OnePass {
        let slice_rows = held.slice_chunks() * held.rows;
        let params = Params { slices: params.n.div_ceil(slice_rows), ..params };
        let in_all = u64::from(params.problems) * u64::from(params.slices);
        let words = program.kept_scratch(2 * told_bytes(precision) * in_all, 0xff);
        let taken = program.kept_scratch(4, 0);
        let own = [Slot::Scratch { binding: 7, index: words }, Slot::Scratch { binding: 8, index: taken }];
        program.values_per_row += 3.0 * told_bytes(precision) as f64 / bytes as f64 / f64::from(slice_rows);
        program.push(KernelId::OnePass(held), params, in_all, &[&caller[..], &own].concat());
        return program;
    }
    program.values_per_row = 5.0 + 14.0 / f64::from(rows * tree.chunks());
    let in_all = u64::from(params.problems) * u64::from(slices);
    let maps = Slot::Scratch { binding: 7, index: program.scratch(4 * in_all * bytes) };
    let values = Slot::Scratch { binding: 8, index: program.scratch(in_all * bytes) };
    program.push(KernelId::Reduce { rows, tree }, params, workgroups, &[Slot::Input(0), Slot::Input(1), maps]);
    let alone = Tree { log_chunks: tree.workgroup.ilog2(), systems_first: false, ..tree };
    program.push(KernelId::Propagate { tree: alone }, params, params.problems.into(), &[Slot::Input(2), maps, values]);
    let apply = KernelId::Apply { rows, tree, several: true };
    let slots = [Slot::Input(0), Slot::Input(1), Slot::Trouble, Slot::Output, values];
    program.push(apply, params, workgroups, &slots);
    program
}
