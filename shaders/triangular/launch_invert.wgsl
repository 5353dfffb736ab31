// role: kernel
import super::block_row::{rhs, x};
import super::diagonal::load_diagonal;
import super::eight::extreme;
import super::inverse::{invert, is_well_conditioned};
import super::inverse_layout::{inverse_entry, inverse_is_usable};
import super::problem::{Problem, params, problem_of, vector_index};
import super::sizes::{BLOCK, COLUMNS, SPAN_ENTRIES};
import roles::real::real;

// The first of launches one after the other: the inverse of each diagonal block, a workgroup per block. It also copies the right-hand sides
// to x, where the later launches go on.
@group(0) @binding(7) var<storage, read_write> inverses_out: array<real>;

fn copy_right(t: u32, problem: Problem, place: u32) {
    let i = place * BLOCK + t;
    for (var c = 0u; c < COLUMNS; c++) {
        if (t < BLOCK && i < params.n && c < problem.count) {
            let at = vector_index(problem, c, i);
            x[at] = rhs[at];
        }
    }
}

fn run(w: u32, t: u32) {
    let place = w % params.blocks;
    let system = w / params.blocks;
    for (var group = 0u; group < params.groups; group++) {
        copy_right(t, problem_of(system * params.groups + group), place);
    }
    load_diagonal(t, problem_of(system * params.groups), place);
    let inverse = invert(t);
    let is_moderate = workgroupUniformLoad(&extreme) == 0u;
    let is_usable = is_well_conditioned(t, inverse) && is_moderate;
    for (var k = 0u; k < SPAN_ENTRIES; k++) { // unroll
        inverses_out[inverse_entry(system, place, t, k)] = inverse.x[k];
    }
    if (t == 0u) {
        inverses_out[inverse_is_usable(system, place)] = select(real(0.0), real(1.0), is_usable);
    }
}
