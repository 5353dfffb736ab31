//! The dispatches of the algorithms.

use super::kernels::{INITIAL_AT, MAP_VALUES, MoebiusKernel, POINT_VALUES, rows_each, told_words};
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot, Tree, WORKGROUP, sequence_slicing_over, workgroup};
use crate::precision::Precision;
use crate::recurrence::launches::{Bindings, MapBytes, push};
use crate::recurrence::look_back;

pub type Program = crate::plan::Program<MoebiusKernel>;

/// Threads per workgroup in one pass. Slices follow one another in the look-back, so there should be few.
const fn threads(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 512,
        Precision::F64 => 256,
    }
}

/// The fewest threads per workgroup.
const LEAST_THREADS: u32 = 64;

const ROWS: [Slot; 4] = [Slot::Input(0), Slot::Input(1), Slot::Input(2), Slot::Input(3)];
const INITIAL: [Slot; 1] = [Slot::InputAt { binding: INITIAL_AT, index: 4 }];
const VALUES: [Slot; 2] = [Slot::Status, Slot::Output];

/// The three launches, or the last of them alone.
pub(super) fn three_launch(capabilities: &Capabilities, precision: Precision, params: Params) -> Program {
    let workgroup = workgroup(capabilities, WORKGROUP);
    let rows = rows_each(precision);
    let sequence_slicing = sequence_slicing_over(rows, workgroup, &params).with_shuffles(capabilities);
    let mut program = Program { values_per_row: 5.0, ..Program::default() };
    let bytes = precision.bytes();
    let slices = (sequence_slicing.slices > 1).then(|| {
        program.values_per_row = 9.0 + 22.0 / f64::from(rows * sequence_slicing.tree.chunks());
        let in_all = sequence_slicing.in_all(&params) * bytes;
        (program.scratch(MAP_VALUES * in_all), program.scratch(POINT_VALUES * in_all))
    });
    let groups = Some(MapBytes { map: MAP_VALUES * bytes, value: POINT_VALUES * bytes });
    let bindings = Bindings { rows: &ROWS, initial: &INITIAL, values: &VALUES, slices, groups };
    push(&mut program, MoebiusKernel::Launch, sequence_slicing, params, bindings);
    program
}

/// The one pass.
pub(super) fn one_pass(capabilities: &Capabilities, precision: Precision, params: Params) -> Program {
    let most = workgroup(capabilities, threads(precision));
    // The fewest threads that hold a short sequence as one slice.
    let workgroup = params.n.div_ceil(rows_each(precision)).next_power_of_two().clamp(LEAST_THREADS.min(most), most);
    let alone = Tree { workgroup, log_chunks: workgroup.ilog2(), systems_first: false, log_run: 0 };
    let tree = alone.with_shuffles(capabilities.subgroup_lanes);
    let slice_rows = workgroup * rows_each(precision);
    let params = Params { slices: params.n.div_ceil(slice_rows), ..params };
    let mut program = Program { values_per_row: 5.0, ..Program::default() };
    let vectors = [&ROWS[..], &INITIAL, &VALUES].concat();
    let told = told_words(precision);
    look_back::push(&mut program, MoebiusKernel::OnePass(tree), params, &vectors, (precision, told));
    program
}
