// role: summary
import super::sizes::ORDER;
import roles::real::{is_finite, real, real4};

const COEFFICIENT_QUADS = 0u; // set by Rust
const MATRICES_BEFORE = 0u; // set by Rust
const MATRIX_QUADS = 0u; // set by Rust

// A filter in transposed direct form II: y = b[0] x + z[0], and z'[i] = b[i+1] x - a[i+1] y + z[i+1] with z[ORDER] = 0,
// which is z' = A z + B x with the same companion matrix A in every row. So what rows make of the state before them
// is z -> A^rows z + f, of which only f, the state that they leave of no state, is theirs. These are composed in
// another basis (src/filter/basis.rs).
alias State = array<real, ORDER>;

// Coefficients in the first COEFFICIENT_QUADS, then matrices row by row, MATRIX_QUADS each: into the basis in which states
// are composed and back, and powers of A in that basis.
@group(0) @binding(3) var<storage, read> constants: array<real4>;

fn no_state() -> State {
    var z: State;
    return z;
}

fn finite_state(z: State) -> bool {
    var finite = true;
    for (var i = 0u; i < ORDER; i++) { // unroll
        finite = finite && is_finite(z[i]);
    }
    return finite;
}

const INTO: u32 = 0u;
const BACK: u32 = 1u;

// `more` and a matrix times `z`.
fn advanced(matrix: u32, z: State, more: State) -> State {
    let at = COEFFICIENT_QUADS + matrix * MATRIX_QUADS;
    var entries: array<real4, MATRIX_QUADS>;
    for (var quad = 0u; quad < MATRIX_QUADS; quad++) { // unroll
        entries[quad] = constants[at + quad];
    }
    var next = more;
    for (var i = 0u; i < ORDER; i++) { // unroll
        for (var j = 0u; j < ORDER; j++) { // unroll
            next[i] += entries[(i * ORDER + j) / 4u][(i * ORDER + j) % 4u] * z[j];
        }
    }
    return next;
}

fn into_basis(z: State) -> State {
    return advanced(INTO, z, no_state());
}

fn out_of_basis(w: State) -> State {
    return advanced(BACK, w, no_state());
}

// What chunks come to, for the scan. Powers of whole numbers of chunks lie behind MATRICES_BEFORE others.
alias Summary = State;

fn no_rows() -> Summary {
    return no_state();
}

fn joined(first: Summary, second: Summary, chunks: u32) -> Summary {
    return advanced(MATRICES_BEFORE + chunks, first, second);
}
