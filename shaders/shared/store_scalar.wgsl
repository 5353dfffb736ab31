@group(0) @binding(6) var<storage, read_write> x: array<real>;

fn store_rows(problem: u32, start: u32, values: array<real, ROWS>, owned: bool) {
    if (!owned) {
        return;
    }
    let base = rhs_base(problem);
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (start + i < params.n) {
            x[base + (start + i) * params.element_stride] = values[i];
        }
    }
}

// One row alone.
fn store_row(problem: u32, row: u32, value: real) {
    x[rhs_base(problem) + row * params.element_stride] = value;
}

// Rows of which none is past the end.
fn store_whole_rows(problem: u32, start: u32, values: array<real, ROWS>) {
    let base = rhs_base(problem);
    for (var i = 0u; i < ROWS; i++) { // unroll
        x[base + (start + i) * params.element_stride] = values[i];
    }
}
