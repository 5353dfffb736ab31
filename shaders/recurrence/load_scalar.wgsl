alias element = real;

// Rows start..start+ROWS, at any stride.
fn load_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    let base = matrix_base(problem);
    for (var i = 0u; i < ROWS; i++) { // unroll
        let at = base + min(start + i, params.n - 1u) * params.element_stride;
        rows.s[i] = s[select(at, 0u, CONSTANT_S)];
        rows.t[i] = t[select(at, 0u, CONSTANT_T)];
    }
    return rows;
}
