import super::constants::constants;
import super::sizes::ORDER;
import super::state::State;
import roles::real::real;

const RESPONSES_AT = 0u; // set by Rust

// The output of the i-th row of a chunk for input 0 and state `w` before the chunk, in the basis, added to `y`.
fn output_with(i: u32, w: State, y: real) -> real {
    var sum = y;
    for (var j = 0u; j < ORDER; j++) { // unroll
        sum = fma(constants[RESPONSES_AT + i][j], w[j], sum);
    }
    return sum;
}
