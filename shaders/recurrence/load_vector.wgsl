// Rows side by side and aligned: four a load.
alias element = real4;

// Rows start..start+ROWS; start is divisible by 4.
fn load_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    let base = matrix_base(problem) / 4u;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let at = base + min(start / 4u + i, (params.n - 1u) / 4u);
        let a = s[select(at, 0u, CONSTANT_S)];
        let b = t[select(at, 0u, CONSTANT_T)];
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
