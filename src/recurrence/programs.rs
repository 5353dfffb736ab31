//! The dispatches of the algorithms.

use super::held::Held;
use super::kernels::KernelId;
use super::options::Algorithm;
use crate::gpu::Capabilities;
use crate::gpu::wgsl::Precision;
use crate::plan::{self, Params, Slot, Spread, Tree};

pub(crate) type Program = crate::plan::Program<KernelId>;

/// A workgroup whose threads go through many slices of one sequence.
pub(super) fn propagating(capabilities: &Capabilities, precision: Precision, slices: u32) -> Tree {
    // Two maps a thread in workgroup memory: a summand with an exponent and one without.
    plan::propagating(capabilities, 7 * precision.bytes() as u32, slices)
}

/// Bytes that a slice tells in one pass: two numbers and two exponents of its map, and the value behind it.
fn told_bytes(precision: Precision) -> u64 {
    3 * precision.bytes() + 8
}

/// The dispatches of an algorithm that is not auto, and suits how it is divided.
pub(crate) fn program(
    algorithm: Algorithm,
    precision: Precision,
    (spread, held): (Spread, Held),
    params: Params,
) -> Program {
    let Spread { rows, tree, slices } = spread;
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
