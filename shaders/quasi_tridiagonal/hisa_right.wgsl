// role: load
import package::tridiagonal::rows::{LoadedRows, mend_ends, set_quad};
import package::tridiagonal::sizes::LOADED_QUADS;
import super::matrix::{product_beside, tri};
import super::params::params;
import roles::real::real4;

// The right-hand side of T x_next = f - S x, which the second pass reads again.
@group(0) @binding(7) var<storage, read> f: array<real4>;
@group(0) @binding(9) var<storage, read_write> right: array<real4>;

fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    for (var i = 0u; i < LOADED_QUADS; i++) { // unroll
        let q = min(start / 4u + i, params.quads - 1u);
        let own = f[q] - product_beside(q);
        if (start / 4u + i < params.quads) {
            right[q] = own;
        }
        set_quad(&rows, i, tri[q], tri[params.quads + q], tri[2u * params.quads + q], own);
    }
    mend_ends(&rows, start);
    return rows;
}
