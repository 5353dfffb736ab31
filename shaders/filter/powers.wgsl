import super::sizes::{MATRIX_QUADS, ORDER};
import super::state::State;
import roles::numbers::power_quad;
import roles::real::real4;

// `more` and a power of the matrix A times `z`, in the basis in which states are composed.
fn advanced(power: u32, z: State, more: State) -> State {
    let at = power * MATRIX_QUADS;
    var entries: array<real4, MATRIX_QUADS>;
    for (var quad = 0u; quad < MATRIX_QUADS; quad++) { // unroll
        entries[quad] = power_quad(at + quad);
    }
    var next = more;
    for (var i = 0u; i < ORDER; i++) { // unroll
        for (var j = 0u; j < ORDER; j++) { // unroll
            next[i] = fma(entries[(i * ORDER + j) / 4u][(i * ORDER + j) % 4u], z[j], next[i]);
        }
    }
    return next;
}
