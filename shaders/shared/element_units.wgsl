import super::problem::params;
import roles::real::{UNIT, unit};

// Rows side by side and aligned: 16 bytes per load.
alias element = unit;

// Where a row lies, given where its sequence does; what is past the end is read as the last.
fn at_unit_row(base: u32, row: u32) -> u32 {
    return base + min(row, params.n - 1u);
}

// Which unit begins at a row that is divisible by UNIT.
fn at_unit(base: u32, row: u32) -> u32 {
    return (base + min(row, (params.n - 1u) / UNIT * UNIT)) / UNIT;
}
