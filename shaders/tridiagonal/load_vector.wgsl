// Rows side by side and aligned: four a load. The bind sees to it that the last, partial
// vector lies inside the binding.
alias element = real4;

struct Rows {
    a: array<real, ROWS>,
    b: array<real, ROWS>,
    c: array<real, ROWS>,
    d: array<real, ROWS>,
}

// Rows start..start+ROWS of a problem, start divisible by 4. Rows past the end are whatever
// lies there, or repeat the last vector.
fn load_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    let matrix = matrix_base(problem) / 4u;
    let right = rhs_base(problem) / 4u;
    for (var i = 0u; i < ROWS / 4u; i++) {
        let at = min(start / 4u + i, (params.n - 1u) / 4u);
        let a = lower[matrix + at];
        let b = diag[matrix + at];
        let c = upper[matrix + at];
        let d = rhs[right + at];
        for (var j = 0u; j < 4u; j++) {
            rows.a[4u * i + j] = a[j];
            rows.b[4u * i + j] = b[j];
            rows.c[4u * i + j] = c[j];
            rows.d[4u * i + j] = d[j];
        }
    }
    return rows;
}
