// role: store
import super::element_units::element;
import super::problem::rhs_base;
import roles::real::{UNIT, real, unit};

@group(0) @binding(6) var<storage, read_write> x: array<element>;

// One row alone.
fn store_row(problem: u32, row: u32, value: real) {
    let at = rhs_base(problem) + row;
    x[at / UNIT][at % UNIT] = value;
}

// The same, given where the sequence lies.
fn store_at(base: u32, row: u32, value: real) {
    x[(base + row) / UNIT][(base + row) % UNIT] = value;
}

// The k-th unit; unit 0 contains the first row.
fn store_unit(base: u32, k: u32, values: unit) {
    x[base / UNIT + k] = values;
}
