//! The dispatches of the algorithms.

use super::abreast;
use super::kernels::{Launch, TriangularAccess, TriangularKernel, TriangularParams, words};
use super::options::Options;
use super::panels::Panels;
use super::policy::{ChainedPolicy, LaunchSyncedPolicy, NEVER};
use super::shape::Shape;
use super::single::STEP;
use crate::gpu::Gpu;
use crate::plan::{self, Slot, Step};
use crate::precision::Precision;

pub type Program = plan::Program<TriangularKernel, TriangularParams>;

/// Most polls of a thread for the unknowns that it waits for; then its workgroup solves them itself. About half a second on a fast device.
const PATIENCE: u32 = 1 << 20;
/// On CPU adapters, whose drivers end all loops of a thread after some ten thousand rounds.
const PATIENCE_OF_PROCESSORS: u32 = 1_000;

/// The parameters of the shape, for blocks of `block` rows and `columns` right-hand sides at once.
pub(super) fn params(gpu: &Gpu, shape: &Shape, block: u32, columns: u32) -> TriangularParams {
    let groups = shape.columns.div_ceil(columns as usize);
    let back = if shape.increment < 0 { (shape.n - 1) * shape.increment.unsigned_abs() } else { 0 };
    TriangularParams {
        n: shape.n as u32,
        lda: shape.leading as u32,
        blocks: (shape.n as u32).div_ceil(block),
        problems: (shape.batch * groups) as u32,
        groups: groups as u32,
        columns: shape.columns as u32,
        matrix_stride: shape.matrix_stride as u32,
        increment: shape.increment as u32,
        first: back as u32,
        column_stride: shape.column_stride as u32,
        vector_stride: shape.vector_stride as u32,
        patience: if gpu.capabilities().software { PATIENCE_OF_PROCESSORS } else { PATIENCE },
        invert_from: NEVER,
        stored: shape.stored as u32,
        ..TriangularParams::default()
    }
}

/// One launch in all, a workgroup per block row.
pub(super) fn chained(
    gpu: &Gpu,
    precision: Precision,
    shape: &Shape,
    kernel: TriangularKernel,
    policy: ChainedPolicy,
    panels: Panels,
) -> Program {
    let ChainedPolicy { block, columns, invert_from, .. } = policy;
    let mut program = program(shape);
    let params = panels.params(params(gpu, shape, block, columns));
    let workgroups = u64::from(params.blocks) * u64::from(params.problems);
    let rows = workgroups * u64::from(block) * u64::from(columns);
    let told = program.kept_scratch(2 * 4 * words(precision) * rows, 0xff);
    let taken = program.kept_scratch(4, 0);
    let mut slots = slots(precision, shape, panels);
    slots.extend([Slot::Scratch { binding: 7, index: told }, Slot::Scratch { binding: 8, index: taken }]);
    let params = TriangularParams { workgroups: workgroups as u32, invert_from, ..params };
    program.steps.push(Step { kernel, params, workgroups, slots, indirect: None });
    program
}

/// A launch that inverts all diagonal blocks, then two launches per few block rows: they are solved, and subtracted from the later ones.
pub(super) fn launch_synced(
    gpu: &Gpu,
    precision: Precision,
    shape: &Shape,
    reversed: bool,
    policy: LaunchSyncedPolicy,
    panels: Panels,
) -> Program {
    let LaunchSyncedPolicy { block, columns, rows, .. } = policy;
    let mut program = program(shape);
    let params = panels.params(params(gpu, shape, block, columns));
    let (blocks, problems) = (u64::from(params.blocks), u64::from(params.problems));
    let in_all = blocks * shape.batch as u64;
    let numbers = in_all * (u64::from(block) * u64::from(block) + 1);
    let inverses = Slot::Scratch { binding: 7, index: program.scratch(numbers * precision.bytes()) };
    let mut push = |kind, launch, workgroups: u64| {
        let kernel = TriangularKernel::Launch { kind, division: policy.division(), rows };
        let params = TriangularParams { workgroups: workgroups as u32, launch, rows_each: rows, ..params };
        let own = match kind {
            Launch::Invert => vec![RHS, Slot::Status, Slot::Output, inverses],
            Launch::Solve => vec![Slot::Status, Slot::Output, inverses],
            Launch::Subtract => vec![Slot::Output],
        };
        let slots = [matrix_slots(precision, shape, panels), own].concat();
        program.steps.push(Step { kernel, params, workgroups, slots, indirect: None });
    };
    push(Launch::Invert, 0, in_all);
    let stored = params.stored.div_ceil(block);
    // The identity's block rows of a trapezoid need no solve. They come last, or first if it is solved from its last row.
    let (skipped, end) = if reversed { (params.blocks - stored, params.blocks) } else { (0, stored) };
    for launch in 0..end.div_ceil(rows) {
        if (launch + 1) * rows > skipped {
            push(Launch::Solve, launch, problems);
        }
        let behind = blocks.saturating_sub(u64::from(launch + 1) * u64::from(rows));
        if behind > 0 {
            push(Launch::Subtract, launch, behind * problems);
        }
    }
    // A block of the diagonal is read as half a matrix; its inverse is written and read.
    program.values_per_row += 2.5 * f64::from(block);
    program
}

/// One workgroup per system and right-hand sides that are solved at once.
pub(super) fn single(
    gpu: &Gpu,
    precision: Precision,
    shape: &Shape,
    kernel: TriangularKernel,
    columns: u32,
    panels: Panels,
) -> Program {
    let mut program = program(shape);
    let block = if matches!(kernel, TriangularKernel::Abreast(_)) { abreast::BLOCK } else { STEP };
    let params = params(gpu, shape, block, columns);
    let workgroups = params.problems;
    let slots = slots(precision, shape, panels);
    let params = TriangularParams { workgroups, ..params };
    program.steps.push(Step { kernel, params, workgroups: workgroups.into(), slots, indirect: None });
    program
}

/// The right-hand sides.
const RHS: Slot = Slot::InputAt { binding: 3, index: 1 };

/// Bindings of kernels that solve in one launch.
fn slots(precision: Precision, shape: &Shape, panels: Panels) -> Vec<Slot> {
    [matrix_slots(precision, shape, panels), vec![RHS, Slot::Status, Slot::Output]].concat()
}

pub(super) fn matrix_slots(precision: Precision, shape: &Shape, panels: Panels) -> Vec<Slot> {
    panels.slots(precision, shape.matrix_len().unwrap_or(0) as u64)
}

/// A program that moves half a matrix, as far as it is stored, and two vectors.
fn program(shape: &Shape) -> Program {
    let (n, stored) = (shape.n as f64, shape.stored as f64);
    let entries = stored * ((stored + 1.0) / 2.0 + n - stored);
    Program { values_per_row: entries / n.max(1.0) + 2.0 * shape.columns as f64, ..Program::default() }
}

/// The form of a plan's kernels, for inputs in other buffers than x.
pub(super) fn form(shape: &Shape, options: &Options, panels: bool, whole_units: bool) -> TriangularAccess {
    TriangularAccess {
        across: options.across(),
        reversed: options.reversed(),
        unit_diagonal: options.diag == super::options::Diag::Unit,
        trapezoid: shape.is_trapezoid(),
        whole_units,
        panels,
        ..TriangularAccess::default()
    }
}
