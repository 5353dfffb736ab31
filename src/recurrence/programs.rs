//! The dispatches of the algorithms.

use super::kernels::KernelId;
use super::launches::{self, Bindings, Launch, MAPS_AHEAD, Spread, WORKGROUP, workgroup};
use super::options::Algorithm;
use crate::gpu::Capabilities;
use crate::gpu::wgsl::Precision;
use crate::plan::{Params, Slot, Tree};

pub(crate) type Program = crate::plan::Program<KernelId>;

/// Rows a thread: what it composes with the others' maps costs the same for any number.
pub(crate) fn rows_each(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 16,
        Precision::F64 => 8,
    }
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
pub(super) fn spread(capabilities: &Capabilities, precision: Precision, params: &Params) -> Spread {
    let workgroup = launches::workgroup(capabilities, WORKGROUP);
    launches::spread(rows_each(precision), workgroup, params).with_shuffles(capabilities)
}

/// Bytes that a slice tells in one pass: two numbers and two exponents of its map, and the value behind it.
fn told_bytes(precision: Precision) -> u64 {
    3 * precision.bytes() + 8
}

/// The dispatches of an algorithm that is not auto, and suits the spread.
pub(crate) fn program(algorithm: Algorithm, precision: Precision, spread: Spread, params: Params) -> Program {
    let Spread { rows, tree, slices } = spread;
    let in_all = spread.in_all(&params);
    let bytes = precision.bytes();
    let mut program = Program { values_per_row: 3.0, ..Program::default() };
    let slice_rows = f64::from(rows * tree.chunks());
    if algorithm == Algorithm::OnePass && slices > 1 {
        let words = program.kept_scratch(2 * told_bytes(precision) * in_all, 0xff);
        let taken = program.kept_scratch(4, 0);
        let slots = [
            Slot::Inputs,
            Slot::Trouble,
            Slot::Output,
            Slot::Scratch { binding: 7, index: words },
            Slot::Scratch { binding: 8, index: taken },
        ];
        program.values_per_row += 3.0 * told_bytes(precision) as f64 / bytes as f64 / slice_rows;
        let (params, workgroups) = spread.params(params);
        program.push(KernelId::OnePass { rows, tree }, params, workgroups, &slots);
        return program;
    }
    let slices = (slices > 1).then(|| {
        program.values_per_row = 5.0 + 14.0 / slice_rows;
        (program.scratch(4 * in_all * bytes), program.scratch(in_all * bytes))
    });
    let kernel = |launch, rows, tree| match launch {
        Launch::Reduce => KernelId::Reduce { rows, tree },
        Launch::Propagate => KernelId::Propagate { tree },
        Launch::Apply { several } => KernelId::Apply { rows, tree, several },
    };
    let bindings = Bindings {
        rows: &[Slot::Input(0), Slot::Input(1)],
        initial: &[Slot::Input(2)],
        values: &[Slot::Trouble, Slot::Output],
        slices,
    };
    launches::push(&mut program, kernel, spread, params, bindings);
    program
}
