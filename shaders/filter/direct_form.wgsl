// role: form
import super::sizes::ORDER;
import super::state::State;
import roles::numbers::constant;
import roles::real::real;

const ORDER_BEFORE = 0u; // set by Rust
const TAPS = 0u; // set by Rust

// A filter in direct form.

// b[0], ..., b[ORDER], and a[1], ..., a[ORDER] with a[0] = 1.
struct Filter {
    b: array<real, TAPS>,
    a: array<real, ORDER>,
}

fn the_filter() -> Filter {
    var filter_: Filter;
    for (var i = 0u; i < TAPS; i++) { // unroll
        filter_.b[i] = constant(i / 4u)[i % 4u];
    }
    for (var i = 0u; i < ORDER; i++) { // unroll
        filter_.a[i] = constant((TAPS + i) / 4u)[(TAPS + i) % 4u];
    }
    return filter_;
}

// An output, and the state after its row.
struct Row {
    y: real,
    z: State,
}

fn row_after(own: Filter, z: State, x: real) -> Row {
    let y = fma(own.b[0], x, z[0]);
    var next: State;
    for (var i = 0u; i < ORDER_BEFORE; i++) { // unroll
        next[i] = z[i + 1u];
    }
    // Half the registers of a sum without fma on an H200.
    for (var i = 0u; i < ORDER; i++) { // unroll
        next[i] = fma(-own.a[i], y, fma(own.b[i + 1u], x, next[i]));
    }
    return Row(y, next);
}
