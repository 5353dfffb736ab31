//! The dispatches of the algorithms.

use super::kernels::RecurrenceKernel;
use super::launches::{self, Bindings, Launch};
use super::one_pass_tree::OnePassTree;
use super::options::Algorithm;
use crate::gpu::Capabilities;
use crate::plan::{self, Params, SequenceSlicing, Slot, Tree};
use crate::precision::Precision;

pub type Program = crate::plan::Program<RecurrenceKernel>;

/// A workgroup whose threads process many slices of one sequence.
pub(super) fn propagating(capabilities: &Capabilities, precision: Precision, slices: u32) -> Tree {
    // Two maps per thread in workgroup memory: a summand with an exponent and one without.
    plan::propagating(capabilities, 7 * precision.bytes() as u32, slices)
}

/// Bytes that a slice publishes in one pass: two numbers and two exponents of its map, and its last value.
fn told_bytes(precision: Precision) -> u64 {
    3 * precision.bytes() + 8
}

/// The dispatches of a named algorithm with a matching policy.
pub(crate) fn program(
    algorithm: Algorithm,
    precision: Precision,
    (sequence_slicing, held): (SequenceSlicing, OnePassTree),
    params: Params,
) -> Program {
    let SequenceSlicing { rows, tree, slices } = sequence_slicing;
    let bytes = precision.bytes();
    let mut program = Program { values_per_row: 3.0, ..Program::default() };
    if algorithm == Algorithm::OnePass && slices > 1 {
        let slice_rows = held.slice_chunks() * held.rows;
        let params = Params { slices: params.n.div_ceil(slice_rows), ..params };
        let in_all = u64::from(params.problems) * u64::from(params.slices);
        let words = program.kept_scratch(2 * told_bytes(precision) * in_all, 0xff);
        let taken = program.kept_scratch(4, 0);
        let slots = [
            Slot::Inputs,
            Slot::Status,
            Slot::Output,
            Slot::Scratch { binding: 7, index: words },
            Slot::Scratch { binding: 8, index: taken },
        ];
        program.values_per_row += 3.0 * told_bytes(precision) as f64 / bytes as f64 / f64::from(slice_rows);
        program.push(RecurrenceKernel::OnePass(held), params, in_all, &slots);
        return program;
    }
    let in_all = sequence_slicing.in_all(&params);
    let slices = (slices > 1).then(|| {
        program.values_per_row = 5.0 + 14.0 / f64::from(rows * tree.chunks());
        (program.scratch(4 * in_all * bytes), program.scratch(in_all * bytes))
    });
    let kernel = |launch, rows, tree| match launch {
        Launch::Reduce => RecurrenceKernel::Reduce { rows, tree },
        Launch::Propagate => RecurrenceKernel::Propagate { tree },
        Launch::Apply { several } => RecurrenceKernel::Apply { rows, tree, several },
    };
    let bindings = Bindings {
        rows: &[Slot::Input(0), Slot::Input(1)],
        initial: &[Slot::Input(2)],
        values: &[Slot::Status, Slot::Output],
        slices,
    };
    launches::push(&mut program, kernel, sequence_slicing, params, bindings);
    program
}
