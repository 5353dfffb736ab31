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
        rows.a[4u * i + 0u] = a.x;
        rows.a[4u * i + 1u] = a.y;
        rows.a[4u * i + 2u] = a.z;
        rows.a[4u * i + 3u] = a.w;
        rows.b[4u * i + 0u] = b.x;
        rows.b[4u * i + 1u] = b.y;
        rows.b[4u * i + 2u] = b.z;
        rows.b[4u * i + 3u] = b.w;
        rows.c[4u * i + 0u] = c.x;
        rows.c[4u * i + 1u] = c.y;
        rows.c[4u * i + 2u] = c.z;
        rows.c[4u * i + 3u] = c.w;
        rows.d[4u * i + 0u] = d.x;
        rows.d[4u * i + 1u] = d.y;
        rows.d[4u * i + 2u] = d.z;
        rows.d[4u * i + 3u] = d.w;
    }
    mend_ends(&rows, start);
    return rows;
}
