// role: element
import super::problem::params;
import roles::real::real4;

// Rows side by side and aligned: four a load.
alias element = real4;

// Where a row lies, given where its sequence does; what is past the end is read as the last.
fn at_row(base: u32, row: u32) -> u32 {
    return base + min(row, params.n - 1u);
}

// Which four rows begin at a row that is divisible by 4.
fn at_quad(base: u32, row: u32) -> u32 {
    return base / 4u + min(row / 4u, (params.n - 1u) / 4u);
}
