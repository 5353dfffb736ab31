import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::sizes::ORDER;
import super::state::State;
import roles::numbers::constant;
import roles::real::real;

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

// The same of the first `reached` rows; the others stay.
fn outputs_with(w: State, y: array<real, ROWS>, reached: u32) -> array<real, ROWS> {
    var sums: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        sums[i] = select(y[i], output_with(i, w, y[i]), i < reached);
    }
    return sums;
}

// 0 if all outputs are finite, else NaN.
fn no_output(y: array<real, ROWS>) -> real {
    var sum = real(0.0);
    for (var i = 0u; i < ROWS; i++) { // unroll
        // Opaque to the compiler, which may take 0 y for 0.
        sum = fma(y[i], real(params.zero), sum);
    }
    return sum;
}
