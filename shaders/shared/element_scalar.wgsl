// role: element
import super::problem::{params, right_place};
import roles::real::real;

// Rows at any stride.
alias element = real;

// Where a row lies, given where its sequence does; what is past the end is read as the last.
fn at_row(base: u32, row: u32) -> u32 {
    return base + min(row, params.n - 1u) * params.element_stride;
}

// The same of a right-hand side.
fn at_right_row(base: u32, row: u32) -> u32 {
    return right_place(base, min(row, params.n - 1u));
}
