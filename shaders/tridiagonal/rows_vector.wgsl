// Rows side by side and aligned: four a load. The bind sees to it that the last, partial
// vector lies inside the binding.
alias element = real4;

fn load_equation(problem: u32, row: u32) -> Equation {
    let last = min(row, params.n - 1u);
    let matrix = matrix_base(problem) + last;
    let right = rhs_base(problem) + last;
    return equation_from(
        row,
        lower[matrix / 4u][matrix % 4u],
        diag[matrix / 4u][matrix % 4u],
        upper[matrix / 4u][matrix % 4u],
        rhs[right / 4u][right % 4u],
    );
}
