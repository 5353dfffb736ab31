//! The dispatches of the algorithms.

use super::kernels::RecurrenceKernel;
use super::launches::{self, Bindings, MapBytes};
use super::one_pass::OnePassTree;
use super::options::Algorithm;
use crate::gpu::Capabilities;
use crate::plan::{self, Params, SequenceSlicing, Slot, Tree};
use crate::precision::Precision;

pub type Program = crate::plan::Program<RecurrenceKernel>;

/// A workgroup whose threads process many slices of one sequence.
pub(super) fn propagating(capabilities: &Capabilities, precision: Precision, slices: u32) -> Tree {
    plan::propagating(capabilities, map_bytes(precision), slices)
}

/// Bytes of workgroup memory per thread: two maps, a summand with an exponent and one without.
pub(super) fn map_bytes(precision: Precision) -> u32 {
    7 * precision.bytes() as u32
}

/// The dispatches of a named algorithm with a matching policy.
pub(crate) fn program(
    algorithm: Algorithm,
    precision: Precision,
    (sequence_slicing, one_pass): (SequenceSlicing, OnePassTree),
    params: Params,
) -> Program {
    if algorithm == Algorithm::OnePass {
        let mut program = Program { values_per_row: 3.0, ..Program::default() };
        one_pass.push(&mut program, precision, params);
        return program;
    }
    three_launch(precision, sequence_slicing, params)
}

/// Three launches, or one if a sequence is one slice.
pub(super) fn three_launch(precision: Precision, sequence_slicing: SequenceSlicing, params: Params) -> Program {
    let SequenceSlicing { rows, tree, slices } = sequence_slicing;
    let bytes = precision.bytes();
    let mut program = Program { values_per_row: 3.0, ..Program::default() };
    let in_all = sequence_slicing.in_all(&params);
    let slices = (slices > 1).then(|| {
        program.values_per_row = 5.0 + 14.0 / f64::from(rows * tree.chunks());
        (program.scratch(4 * in_all * bytes), program.scratch(in_all * bytes))
    });
    let bindings = Bindings {
        rows: &[Slot::Input(0), Slot::Input(1)],
        initial: &[Slot::Input(2)],
        values: &[Slot::Status, Slot::Output],
        slices,
        groups: Some(MapBytes::affine(precision)),
    };
    launches::push(&mut program, RecurrenceKernel::Launch, sequence_slicing, params, bindings);
    program
}
