// Rows start..start+LOADED of a problem, four a load; start is divisible by 4.
fn load_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    let matrix = matrix_base(problem) / 4u;
    let right = rhs_base(problem) / 4u;
    for (var i = 0u; i < LOADED_QUADS; i++) { // unroll
        let at = min(start / 4u + i, (params.n - 1u) / 4u);
        let a = lower[matrix + at];
        let b = diag[matrix + at];
        let c = upper[matrix + at];
        let d = rhs[right + at];
        set_quad(&rows, i, a, b, c, d);
    }
    mend_ends(&rows, start);
    return rows;
}
