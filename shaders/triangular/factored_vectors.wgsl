import super::problem::{Problem, params, row_place, vector_index};
import super::sizes::COLUMNS;
import super::tiles::BLOCK_UNITS;
import roles::real::{UNIT, real, unit};

@group(0) @binding(3) var<storage, read> rhs: array<real>; // input
// For each problem: -x, then r. Units of the COLUMNS right-hand sides are adjacent.
@group(0) @binding(8) var<storage, read_write> vectors: array<unit>;

// The first unit of -x of a problem, or of r.
fn vector_base(number: u32, is_right: bool) -> u32 {
    return (number * 2u + select(0u, 1u, is_right)) * params.blocks * BLOCK_UNITS * COLUMNS;
}

// A right-hand side at a row; 0 behind the last.
fn rhs_at(problem: Problem, c: u32, row: u32) -> real {
    if (row >= params.n) {
        return real(0.0);
    }
    return rhs[vector_index(problem, c, row_place(row))];
}

// A unit of right-hand sides.
fn rhs_unit(problem: Problem, c: u32, u: u32) -> unit {
    var numbers: unit;
    for (var e = 0u; e < UNIT; e++) { // unroll
        numbers[e] = rhs_at(problem, c, u * UNIT + e);
    }
    return numbers;
}

// Copies a unit of each right-hand side to r.
fn copy_rhs_units(problem: Problem, number: u32, u: u32) {
    if (u >= params.blocks * BLOCK_UNITS) {
        return;
    }
    for (var c = 0u; c < COLUMNS; c++) {
        vectors[vector_base(number, true) + u * COLUMNS + c] = rhs_unit(problem, c, u);
    }
}
