//! The dispatches, and their constants.

use super::coefficients::Coefficients;
use super::kernels::COEFFICIENT_QUADS;
use super::matrix::Matrix;
use super::powers::Powers;
use crate::gpu::Capabilities;
use crate::plan::{Params, SequenceSlicing, Slot, propagating};
use crate::real::Real;
use crate::recurrence::launches::{Bindings, LaunchKernel, push_propagating};

pub type Program = crate::plan::Program<LaunchKernel>;

/// Three launches, or one if a sequence is one slice.
pub(super) fn program<T: Real>(
    capabilities: &Capabilities,
    coefficients: &Coefficients,
    sequence_slicing: SequenceSlicing,
    params: Params,
    reverse: bool,
) -> Program {
    let SequenceSlicing { rows, tree, slices } = sequence_slicing;
    let (order, powers) = (coefficients.order(), Powers::new(coefficients));
    let mut program = Program { values_per_row: 2.0, ..Program::default() };
    let matrices = |program: &mut Program, all: &[Matrix]| Slot::Scratch {
        binding: 3,
        index: program.constants(&constants::<T>(coefficients, &powers, all)),
    };
    let chunks = powers.of_power(rows.into(), tree.chunks());
    let rows_read = [Slot::Input(0), matrices(&mut program, &chunks)];
    let mut initial = vec![Slot::Input(1)];
    let state_bytes = order as u64 * T::PRECISION.bytes();
    let propagating = propagating(capabilities, state_bytes as u32, slices);
    let states = (slices > 1).then(|| {
        let slice_rows = rows * tree.chunks();
        let each = slices.div_ceil(propagating.workgroup);
        // In reverse the first slice is the incomplete one.
        let first = if reverse { params.n - (slices - 1) * slice_rows } else { slice_rows };
        let mut runs = vec![powers.of(slice_rows.into()), powers.of(first.into())];
        runs.extend(powers.of_power(u64::from(slice_rows) * u64::from(each), propagating.workgroup));
        initial.push(matrices(&mut program, &runs));
        // A slice's sum is written and read twice; its initial state is written and read once.
        program.values_per_row = 3.0 + 5.0 * order as f64 / f64::from(slice_rows);
        let in_all = sequence_slicing.in_all(&params);
        (program.scratch(state_bytes * in_all), program.scratch(state_bytes * in_all))
    });
    let values = [Slot::Status, Slot::Output, Slot::Beside { binding: 9, index: 0 }];
    let bindings = Bindings { rows: &rows_read, initial: &initial, values: &values, slices: states, groups: None };
    push_propagating(&mut program, |kernel| kernel, (sequence_slicing, propagating), params, bindings);
    program
}

/// Coefficients, the basis, then powers, as kernels read them.
fn constants<T: Real>(coefficients: &Coefficients, powers: &Powers, all: &[Matrix]) -> Vec<T> {
    let mut values: Vec<T> = coefficients.b().iter().chain(&coefficients.a()[1..]).map(|&c| T::from_f64(c)).collect();
    values.resize(4 * COEFFICIENT_QUADS as usize, T::ZERO);
    let basis = [powers.basis.into, powers.basis.back];
    values.extend(basis.iter().chain(all).flat_map(|power| powers.entries::<T>(power)));
    values
}
