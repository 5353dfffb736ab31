// Rows at any stride, one load each.
alias element = real;

fn load_equation(problem: u32, row: u32) -> Equation {
    let at = min(row, params.n - 1u) * params.element_stride;
    let matrix = matrix_base(problem) + at;
    return equation_from(row, lower[matrix], diag[matrix], upper[matrix], rhs[rhs_base(problem) + at]);
}
