import super::sizes::{MATRIX_QUADS, ORDER};
import super::state::{State, no_state};
import roles::numbers::constant;

const COEFFICIENT_QUADS = 0u; // set by Rust

// The constants of a filter (src/filter/constants.rs): coefficients; then matrices by rows,
// MATRIX_QUADS quads each (into the basis in which states are composed, back, powers of 1, 2, 4, ... chunks); then
// responses.

const INTO: u32 = 0u;
const BACK: u32 = 1u;
// In one pass, powers of 1, 2, 4, ... chunks follow.
const LEVELS: u32 = 2u;

// `more` and a matrix times `z`.
fn advanced_alike(matrix: u32, z: State, more: State) -> State {
    let at = COEFFICIENT_QUADS + matrix * MATRIX_QUADS;
    var next = more;
    for (var i = 0u; i < ORDER; i++) { // unroll
        for (var j = 0u; j < ORDER; j++) { // unroll
            next[i] = fma(constant(at + (i * ORDER + j) / 4u)[(i * ORDER + j) % 4u], z[j], next[i]);
        }
    }
    return next;
}

fn into_basis(z: State) -> State {
    return advanced_alike(INTO, z, no_state());
}

fn out_of_basis(w: State) -> State {
    return advanced_alike(BACK, w, no_state());
}

// Number of slices after which a state has no effect: all entries of the power are 0.
fn forgotten_slices() -> u32 {
    return u32(constant(COEFFICIENT_QUADS - 1u).w);
}
