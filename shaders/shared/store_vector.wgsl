// role: store
import super::problem::{params, x_base};
import super::sizes::{QUADS, ROWS};
import roles::element::element;
import roles::real::{real, real4};

@group(0) @binding(6) var<storage, read_write> x: array<element>;

// The last vector goes by component: what lies behind row n-1 is the caller's.
fn store_rows(problem: u32, start: u32, values: array<real, ROWS>, owned: bool) {
    if (!owned) {
        return;
    }
    let base = x_base(problem);
    for (var i = 0u; i < QUADS; i++) { // unroll
        let row = start + 4u * i;
        let at = (base + row) / 4u;
        if (row + 3u < params.n) {
            x[at] = real4(values[4u * i], values[4u * i + 1u], values[4u * i + 2u], values[4u * i + 3u]);
        } else {
            if (row < params.n) {
                x[at].x = values[4u * i];
            }
            if (row + 1u < params.n) {
                x[at].y = values[4u * i + 1u];
            }
            if (row + 2u < params.n) {
                x[at].z = values[4u * i + 2u];
            }
        }
    }
}

// One row alone.
fn store_row(problem: u32, row: u32, value: real) {
    let at = x_base(problem) + row;
    x[at / 4u][at % 4u] = value;
}
