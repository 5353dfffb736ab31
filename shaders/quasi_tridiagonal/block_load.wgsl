// role: load, store
import package::shared::sizes::{QUADS, ROWS};
import package::tridiagonal::rows::{LoadedRows, mend_ends, set_quad};
import package::tridiagonal::sizes::LOADED_QUADS;
import super::block_rows::{f, residual_squared, step_squared, x_next, x_squared};
import super::matrix::{product_beside, tri, within};
import super::params::params;
import roles::real::{real, real4};
import roles::unknowns::x;

// What the thread's rows had; it is there again when the step is.
var<private> own_x: array<real4, QUADS>;

fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    let first = (problem * params.n + start) / 4u;
    for (var i = 0u; i < LOADED_QUADS; i++) { // unroll
        let q = first + i;
        let a = tri[q];
        let b = tri[params.quads + q];
        let c = tri[2u * params.quads + q];
        let own = x[q];
        let r = f[q] - within(q, a, b, c, own) - product_beside(q);
        residual_squared += dot(r, r);
        own_x[i] = own;
        set_quad(&rows, i, a, b, c, r);
    }
    mend_ends(&rows, start);
    return rows;
}

fn store_rows(problem: u32, start: u32, values: array<real, ROWS>, owned: bool) {
    let first = (problem * params.n + start) / 4u;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let step = real4(values[4u * i], values[4u * i + 1u], values[4u * i + 2u], values[4u * i + 3u]);
        let next = own_x[i] + step;
        step_squared += dot(step, step);
        x_squared += dot(next, next);
        if (owned) {
            x_next[first + i] = next;
        }
    }
}
