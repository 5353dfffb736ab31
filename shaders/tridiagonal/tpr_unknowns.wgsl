import package::shared::block::value;
import package::shared::sizes::{HALF, ROWS};
import super::sizes::ROW_STEPS;
import roles::real::{real, real4};

// A thread's unknowns, from that of its last row and of the row before its first: the odd rows from
// their reduced relations, then the even ones from their own.
fn unknowns(own: array<real4, ROWS>, last: array<real4, HALF>, prev: real, end: real) -> array<real, ROWS> {
    var x: array<real, ROWS>;
    x[ROWS - 1u] = end;
    for (var step = ROW_STEPS; step > 0u; step--) { // unroll
        const u = 1u << (step - 1u);
        for (var i = 0u; i < HALF; i++) { // unroll
            if (i % (2u * u) == u - 1u) {
                let before = select(x[(2u * (i + HALF - u) + 1u) % ROWS], prev, i < u);
                x[2u * i + 1u] = value(last[i], before, x[(2u * (i + u) + 1u) % ROWS]);
            }
        }
    }
    for (var i = 0u; i < HALF; i++) { // unroll
        x[2u * i] = value(own[2u * i], select(x[(2u * i + ROWS - 1u) % ROWS], prev, i == 0u), x[2u * i + 1u]);
    }
    return x;
}
