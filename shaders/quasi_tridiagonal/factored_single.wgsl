// role: factored_rows
import package::shared::sizes::ROWS;
import super::factored_input::beside_block;
import super::factors::{BESIDE_FIRST, BESIDE_LAST};
import super::matrix::{index, off, slice_begin};
import super::params::params;
import super::step_state::{FIRST, d, z_next};
import roles::real::real;
import roles::unknowns::x;

// The paper's form: a row per thread. x is z, or in a cycle's first step its right-hand side.
var<private> residual_squared: real;
var<private> step_squared: real;
var<private> x_squared: real;

fn z_of(row: u32) -> real {
    return x[row / 4u][row % 4u];
}

// d += z, and the residual of that.
fn take_residual(block: u32, chunk: u32, owned: bool) -> array<real, ROWS> {
    let row = block * params.n + chunk;
    let q = row / 4u;
    let k = row % 4u;
    let z = x[q][k];
    var own = z;
    if (!FIRST) {
        let sum = d[q][k] + z;
        if (owned) {
            d[q][k] = sum;
        }
        own = 0.0;
        let slice = q / 8u;
        let end = slice_begin(slice + 1u);
        for (var j = slice_begin(slice); j < end; j++) {
            let at = j * 8u + q % 8u;
            own -= off[at][k] * z_of(index[params.columns_at + at][k]);
        }
        if (chunk == 0u && row > 0u) {
            own -= beside_block(BESIDE_FIRST, block) * z_of(row - 1u);
        }
        if (chunk + 1u == params.n && row + 1u < 4u * params.quads) {
            own -= beside_block(BESIDE_LAST, block) * z_of(row + 1u);
        }
        residual_squared += own * own;
        step_squared += z * z;
        x_squared += sum * sum;
    }
    return array<real, ROWS>(own);
}

fn put_step(block: u32, chunk: u32, step: array<real, ROWS>, owned: bool) {
    let row = block * params.n + chunk;
    if (owned) {
        z_next[row / 4u][row % 4u] = step[0];
    }
}
