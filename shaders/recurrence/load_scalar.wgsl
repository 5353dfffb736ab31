// Rows at any stride.
alias element = real;

// Where a row lies; what is past the end is read as the last.
fn at_row(problem: u32, row: u32) -> u32 {
    return matrix_base(problem) + min(row, params.n - 1u) * params.element_stride;
}
