//! The dispatches, and their constants.

use super::coefficients::Coefficients;
use super::kernels::{COEFFICIENT_QUADS, FilterKernel};
use super::matrix::Matrix;
use super::powers::Powers;
use crate::gpu::Capabilities;
use crate::plan::{Params, SequenceSlicing, Slot, propagating};
use crate::real::Real;

pub type Program = crate::plan::Program<FilterKernel>;

/// Three launches, or one if a sequence is one slice.
pub(super) fn program<T: Real>(
    capabilities: &Capabilities,
    coefficients: &Coefficients,
    sequence_slicing: SequenceSlicing,
    params: Params,
    reverse: bool,
) -> Program {
    let SequenceSlicing { rows, tree, slices } = sequence_slicing;
    let params = Params { slices, ..params };
    let (order, powers) = (coefficients.order(), Powers::new(coefficients));
    let workgroups = u64::from(params.problems.div_ceil(tree.problems())) * u64::from(slices);
    let mut program = Program { values_per_row: 2.0, ..Program::default() };
    let chunks = powers.of_power(rows.into(), tree.chunks());
    let chunks = program.constants(&constants::<T>(coefficients, &powers, &chunks));
    let chunks = Slot::Scratch { binding: 3, index: chunks };
    let finals = Slot::Beside { binding: 9, index: 0 };
    if slices == 1 {
        let apply = FilterKernel::Apply { rows, tree, several: false };
        program.push(apply, params, workgroups, &[Slot::Inputs, chunks, Slot::Status, Slot::Output, finals]);
        return program;
    }
    let slice_rows = rows * tree.chunks();
    // A slice's sum is written and read twice; its initial state is written and read once.
    program.values_per_row = 3.0 + 5.0 * order as f64 / f64::from(slice_rows);
    let in_all = u64::from(params.problems) * u64::from(slices);
    let state_bytes = order as u64 * T::PRECISION.bytes();
    let sums = Slot::Scratch { binding: 7, index: program.scratch(state_bytes * in_all) };
    let states = Slot::Scratch { binding: 8, index: program.scratch(state_bytes * in_all) };
    let alone = propagating(capabilities, state_bytes as u32, slices);
    let each = slices.div_ceil(alone.workgroup);
    // In reverse the first slice is the incomplete one.
    let first = if reverse { params.n - (slices - 1) * slice_rows } else { slice_rows };
    let mut runs = vec![powers.of(slice_rows.into()), powers.of(first.into())];
    runs.extend(powers.of_power(u64::from(slice_rows) * u64::from(each), alone.workgroup));
    let runs = program.constants(&constants::<T>(coefficients, &powers, &runs));
    let runs = Slot::Scratch { binding: 3, index: runs };
    program.push(FilterKernel::Reduce { rows, tree }, params, workgroups, &[Slot::Input(0), chunks, sums]);
    let propagate = FilterKernel::Propagate { tree: alone };
    program.push(propagate, params, params.problems.into(), &[Slot::Input(1), runs, sums, states]);
    let slots = [Slot::Input(0), chunks, Slot::Status, Slot::Output, states, finals];
    program.push(FilterKernel::Apply { rows, tree, several: true }, params, workgroups, &slots);
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
