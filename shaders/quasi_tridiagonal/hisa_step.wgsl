// role: load, store, report
import package::shared::sizes::{QUADS, ROWS};
import package::tridiagonal::rows::{LoadedRows, mend_ends, set_quad};
import package::tridiagonal::sizes::LOADED_QUADS;
import super::params::params;
import roles::real::{real, real4};

@group(0) @binding(3) var<storage, read> tri: array<real4>;
@group(0) @binding(4) var<storage, read> r: array<real4>;
@group(0) @binding(6) var<storage, read_write> z: array<real4>;
@group(0) @binding(8) var<storage, read_write> d: array<real4>;

var<private> step_squared: real;
var<private> x_squared: real;

fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    for (var i = 0u; i < LOADED_QUADS; i++) { // unroll
        let q = min(start / 4u + i, params.quads - 1u);
        set_quad(&rows, i, tri[q], tri[params.quads + q], tri[2u * params.quads + q], r[q]);
    }
    mend_ends(&rows, start);
    return rows;
}

fn store_rows(problem: u32, start: u32, values: array<real, ROWS>, owned: bool) {
    for (var i = 0u; i < QUADS; i++) { // unroll
        let q = start / 4u + i;
        if (owned && q < params.quads) {
            let step = real4(values[4u * i], values[4u * i + 1u], values[4u * i + 2u], values[4u * i + 3u]);
            let next = d[q] + step;
            z[q] = step;
            d[q] = next;
            step_squared += dot(step, step);
            x_squared += dot(next, next);
        }
    }
}

fn report_chunk(problem: u32, start: u32) {
    // What is not finite shows in the norms.
}
