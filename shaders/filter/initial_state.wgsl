import super::sizes::ORDER;
import super::state::State;
import roles::real::real;

// The state before the first row: ORDER numbers for each sequence, or a single 0 for all.
@group(0) @binding(2) var<storage, read> initial: array<real>; // input

fn initial_state_of(problem: u32) -> State {
    var z: State;
    let last = arrayLength(&initial) - 1u;
    for (var i = 0u; i < ORDER; i++) { // unroll
        z[i] = initial[min(problem * ORDER + i, last)];
    }
    return z;
}
