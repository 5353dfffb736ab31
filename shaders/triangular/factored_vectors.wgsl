import super::problem::{Problem, params, row_place, vector_index};
import super::sizes::COLUMNS;
import super::tiles::BLOCK_UNITS;
import roles::real::{UNIT, real, unit};

@group(0) @binding(3) var<storage, read> rhs: array<real>; // input
// Of each problem -x, then r; the units of right-hand sides that are solved at once lie side by side.
@group(0) @binding(8) var<storage, read_write> vectors: array<unit>;

// The first unit of -x of a problem, or of r.
fn vector_base(number: u32, is_right: bool) -> u32 {
    return (number * 2u + select(0u, 1u, is_right)) * params.blocks * BLOCK_UNITS * COLUMNS;
}

// A right-hand side at a row; 0 behind the last.
fn given_right(problem: Problem, c: u32, row: u32) -> real {
    if (row >= params.n) {
        return real(0.0);
    }
    return rhs[vector_index(problem, c, row_place(row))];
}

// Copies a row of the right-hand sides to r.
fn keep_right(problem: Problem, number: u32, row: u32) {
    if (row >= params.blocks * BLOCK_UNITS * UNIT) {
        return;
    }
    for (var c = 0u; c < COLUMNS; c++) {
        vectors[vector_base(number, true) + row / UNIT * COLUMNS + c][row % UNIT] = given_right(problem, c, row);
    }
}
