import super::problem::params;
import roles::real::{UNIT, unit};

// Adjacent rows; the first may lie at any offset: 16 bytes per load.
alias element = unit;

// Where a row lies, given where its sequence does; what is past the end is read as the last.
fn at_unit_row(base: u32, row: u32) -> u32 {
    return base + min(row, params.n - 1u);
}

// The k-th unit; unit 0 contains the first row. A k past the end reads the last unit.
fn at_unit(base: u32, k: u32) -> u32 {
    return min(base / UNIT + k, (base + params.n - 1u) / UNIT);
}
