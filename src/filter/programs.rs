//! The dispatches of three launches.

use super::constants::{Numbers, Table};
use super::kernels::FilterKernel;
use crate::gpu::Capabilities;
use crate::plan::{Params, SequenceSlicing, Slot, propagating};
use crate::real::Real;
use crate::recurrence::launches::{Bindings, push_propagating};

pub type Program = crate::plan::Program<FilterKernel>;

/// Three launches, or one if a sequence is one slice.
pub(super) fn three_launch<T: Real>(
    capabilities: &Capabilities,
    numbers: &Numbers<'_>,
    sequence_slicing: SequenceSlicing,
    params: Params,
    reverse: bool,
) -> Program {
    let SequenceSlicing { rows, tree, slices } = sequence_slicing;
    let order = numbers.bank.order();
    let mut program = Program { values_per_row: 2.0, ..Program::default() };
    let table = |powers| Table { levels: vec![], forgotten: None, powers };
    let chunks = |filter: usize| table(numbers.powers[filter].of_power(rows.into(), tree.chunks()));
    let rows_read = [vec![Slot::Input(0)], numbers.slots::<T, _>(&mut program, 0, chunks)].concat();
    let mut initial = vec![Slot::Input(1)];
    let state_bytes = order as u64 * T::PRECISION.bytes();
    let propagating = propagating(capabilities, state_bytes as u32, slices);
    let states = (slices > 1).then(|| {
        let slice_rows = rows * tree.chunks();
        let each = slices.div_ceil(propagating.workgroup);
        // In reverse the first slice is the incomplete one.
        let first = if reverse { params.n - (slices - 1) * slice_rows } else { slice_rows };
        let runs = |filter: usize| {
            let powers = &numbers.powers[filter];
            let mut runs = vec![powers.of(slice_rows.into()), powers.of(first.into())];
            runs.extend(powers.of_power(u64::from(slice_rows) * u64::from(each), propagating.workgroup));
            table(runs)
        };
        initial.extend(numbers.slots::<T, _>(&mut program, 0, runs));
        // A slice's sum is written and read twice; its initial state is written and read once.
        program.values_per_row = 3.0 + 5.0 * order as f64 / f64::from(slice_rows);
        let in_all = sequence_slicing.in_all(&params);
        (program.scratch(state_bytes * in_all), program.scratch(state_bytes * in_all))
    });
    let values = [Slot::Status, Slot::Output, Slot::Beside { binding: 9, index: 0 }];
    let bindings = Bindings { rows: &rows_read, initial: &initial, values: &values, slices: states, groups: None };
    push_propagating(&mut program, FilterKernel::Launch, (sequence_slicing, propagating), params, bindings);
    program
}
