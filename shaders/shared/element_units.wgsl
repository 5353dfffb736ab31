import super::problem::params;
import roles::real::{UNIT, unit};

// Rows side by side and aligned: 16 bytes per load.
alias element = unit;

// Where a row lies, given where its sequence does; what is past the end is read as the last.
fn at_unit_row(base: u32, row: u32) -> u32 {
    return base + min(row, params.n - 1u);
}

// The k-th unit of a sequence, which begins in the first; past the end the last one.
fn at_unit(base: u32, k: u32) -> u32 {
    return min(base / UNIT + k, (base + params.n - 1u) / UNIT);
}
