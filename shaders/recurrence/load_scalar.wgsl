// Rows at any stride.
alias element = real;

fn row_at(problem: u32, row: u32) -> Row {
    let at = matrix_base(problem) + min(row, params.n - 1u) * params.element_stride;
    return Row(s[select(at, 0u, CONSTANT_S)], t[select(at, 0u, CONSTANT_T)]);
}

// Rows start..start+ROWS.
fn load_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let row = row_at(problem, start + i);
        rows.s[i] = row.s;
        rows.t[i] = row.t;
    }
    return rows;
}
