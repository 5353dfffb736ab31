import package::shared::sizes::ROWS;
import super::sizes::ORDER;
import super::state::State;
import roles::numbers::constant;
import roles::real::{is_finite, real};

const RESPONSES_AT = 0u; // set by Rust
const RESPONSE_QUADS = 0u; // set by Rust

// `y` and the response of the i-th row of a chunk to state `w` before the chunk, in the basis.
fn output_with(i: u32, w: State, y: real) -> real {
    var sum = y;
    for (var j = 0u; j < ORDER; j++) { // unroll
        sum = fma(constant(RESPONSES_AT + i * RESPONSE_QUADS + j / 4u)[j % 4u], w[j], sum);
    }
    return sum;
}

// The same of all rows.
fn outputs_with(w: State, y: array<real, ROWS>) -> array<real, ROWS> {
    var sums: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        sums[i] = output_with(i, w, y[i]);
    }
    return sums;
}

// The largest output in size. A NaN may be missed, but then the last output is NaN as well.
fn largest_output(y: array<real, ROWS>) -> real {
    var largest = real(0.0);
    for (var i = 0u; i < ROWS; i++) { // unroll
        largest = max(largest, abs(y[i]));
    }
    return select(y[ROWS - 1u], largest, is_finite(y[ROWS - 1u]));
}
