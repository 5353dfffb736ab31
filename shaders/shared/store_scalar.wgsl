// role: store
import super::problem::{params, right_place, x_base, x_offset};
import super::sizes::ROWS;
import roles::real::{UNIT, real, unit};

@group(0) @binding(6) var<storage, read_write> x: array<real>;

fn store_rows(problem: u32, start: u32, values: array<real, ROWS>, owned: bool) {
    if (!owned) {
        return;
    }
    let base = x_base(problem);
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (start + i < params.n) {
            x[right_place(base, start + i)] = values[i];
        }
    }
}

// One row alone.
fn store_row(problem: u32, row: u32, value: real) {
    x[right_place(x_base(problem), row)] = value;
}

// The same, given where the sequence lies.
fn store_at(base: u32, row: u32, value: real) {
    x[right_place(base + x_offset(), row)] = value;
}

// The k-th UNIT rows of a sequence.
fn store_unit(base: u32, k: u32, values: unit) {
    for (var i = 0u; i < UNIT; i++) { // unroll
        store_at(base, k * UNIT + i, values[i]);
    }
}
