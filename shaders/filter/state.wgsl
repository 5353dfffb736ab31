import super::sizes::ORDER;
import roles::real::{is_finite, real};

// A filter in transposed direct form II: y = b[0] x + z[0], and z'[i] = b[i+1] x - a[i+1] y + z[i+1] with z[ORDER] = 0;
// or a cascade of such. Both are z' = A z + B x with the same matrix A in every row. So what rows make of the state before them
// is z -> A^rows z + f, of which only f, the final state for state 0, is theirs. These are composed in
// another basis (src/filter/basis.rs).
alias State = array<real, ORDER>;

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
