// role: load
import package::tridiagonal::rows::{LoadedRows, mend_ends, set_quad};
import package::tridiagonal::sizes::LOADED_QUADS;
import super::control::IN_CYCLE;
import super::gate::control;
import super::matrix::{product_beside, tri};
import super::params::params;
import roles::real::{real, real4};

// r holds the right-hand side of the cycle at first, then the residual.
@group(0) @binding(7) var<storage, read_write> r: array<real4>;

var<private> residual_squared: real;

fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    for (var i = 0u; i < LOADED_QUADS; i++) { // unroll
        let q = min(start / 4u + i, params.quads - 1u);
        let inside = start / 4u + i < params.quads;
        var own = r[q];
        if (control[IN_CYCLE] > 0u) {
            own = -product_beside(q);
            if (inside) {
                r[q] = own;
            }
        }
        residual_squared += select(real(0.0), dot(own, own), inside);
        set_quad(&rows, i, tri[q], tri[params.quads + q], tri[2u * params.quads + q], own);
    }
    mend_ends(&rows, start);
    return rows;
}
