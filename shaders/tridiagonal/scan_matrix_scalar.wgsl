// Rows of a matrix at any stride, one load each.
fn matrix_at(problem: u32, row: u32) -> Matrix {
    let at = at_row(matrix_base(problem), row);
    return matrix_from(row, lower[at], diag[at], upper[at]);
}

fn load_matrix(problem: u32, start: u32) -> MatrixRows {
    var rows: MatrixRows;
    let base = matrix_base(problem);
    for (var i = 0u; i < ROWS; i++) { // unroll
        let at = at_row(base, start + i);
        rows.a[i] = lower[at];
        rows.b[i] = diag[at];
        rows.c[i] = upper[at];
    }
    return rows;
}
