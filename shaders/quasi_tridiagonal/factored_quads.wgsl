// role: factored_rows
import package::shared::sizes::{QUADS, ROWS};
import super::factored_input::beside_block;
import super::factors::{BESIDE_FIRST, BESIDE_LAST};
import super::matrix::{product_beside, row_above, row_below};
import super::params::params;
import super::step_state::{FIRST, d, z_next};
import roles::real::{real, real4};
import roles::unknowns::x;

// Chunks of whole fours of rows. x is z, or in a cycle's first step its right-hand side.
var<private> residual_squared: real;
var<private> step_squared: real;
var<private> x_squared: real;

// d += z, and the residual of that.
fn take_residual(block: u32, chunk: u32, owned: bool) -> array<real, ROWS> {
    var r: array<real, ROWS>;
    let first = (block * params.n + chunk * ROWS) / 4u;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let q = first + i;
        let z = x[q];
        var own = z;
        if (!FIRST) {
            let sum = d[q] + z;
            if (owned) {
                d[q] = sum;
            }
            own = -product_beside(q);
            if (chunk == 0u && i == 0u) {
                own.x -= beside_block(BESIDE_FIRST, block) * row_above(q);
            }
            if ((chunk + 1u) * ROWS == params.n && i + 1u == QUADS) {
                own.w -= beside_block(BESIDE_LAST, block) * row_below(q);
            }
            residual_squared += dot(own, own);
            step_squared += dot(z, z);
            x_squared += dot(sum, sum);
        }
        r[4u * i + 0u] = own.x;
        r[4u * i + 1u] = own.y;
        r[4u * i + 2u] = own.z;
        r[4u * i + 3u] = own.w;
    }
    return r;
}

fn put_step(block: u32, chunk: u32, step: array<real, ROWS>, owned: bool) {
    let first = (block * params.n + chunk * ROWS) / 4u;
    for (var i = 0u; i < QUADS; i++) { // unroll
        if (owned) {
            z_next[first + i] = real4(step[4u * i], step[4u * i + 1u], step[4u * i + 2u], step[4u * i + 3u]);
        }
    }
}
