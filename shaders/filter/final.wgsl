import super::sizes::ORDER;
import super::state::State;
import roles::real::real;
import roles::signal_heads::sequences;

// The state behind the last row, ORDER numbers for each sequence; fewer where nobody asks for them.
@group(0) @binding(9) var<storage, read_write> final_states: array<real>;

fn wants_finals() -> bool {
    return arrayLength(&final_states) >= sequences() * ORDER;
}

fn store_final(problem: u32, z: State) {
    for (var i = 0u; i < ORDER; i++) { // unroll
        final_states[problem * ORDER + i] = z[i];
    }
}
