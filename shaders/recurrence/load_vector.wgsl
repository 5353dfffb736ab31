// Rows side by side and aligned: four a load.
alias element = real4;

fn row_at(problem: u32, row: u32) -> Row {
    let at = matrix_base(problem) + min(row, params.n - 1u);
    return Row(s[select(at / 4u, 0u, CONSTANT_S)][at % 4u], t[select(at / 4u, 0u, CONSTANT_T)][at % 4u]);
}

// Rows start..start+ROWS; start is divisible by 4.
fn load_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    let base = matrix_base(problem) / 4u;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let at = base + min(start / 4u + i, (params.n - 1u) / 4u);
        var a: real4;
        var b: real4;
        if (CONSTANT_S) {
            a = real4(s[0].x);
        } else {
            a = s[at];
        }
        if (CONSTANT_T) {
            b = real4(t[0].x);
        } else {
            b = t[at];
        }
        rows.s[4u * i + 0u] = a.x;
        rows.s[4u * i + 1u] = a.y;
        rows.s[4u * i + 2u] = a.z;
        rows.s[4u * i + 3u] = a.w;
        rows.t[4u * i + 0u] = b.x;
        rows.t[4u * i + 1u] = b.y;
        rows.t[4u * i + 2u] = b.z;
        rows.t[4u * i + 3u] = b.w;
    }
    return rows;
}
