// role: form
import super::state::State;
import roles::numbers::constant;
import roles::real::real;

const SECTIONS = 0u; // set by Rust
const COEFFICIENTS = 0u; // set by Rust

// Sections of second order, each with the outputs of the one before it as inputs. A section has two numbers of the state.

// Per section b[0], b[1], b[2], and a[1], a[2] with a[0] = 1.
struct Filter {
    all: array<real, COEFFICIENTS>,
}

fn the_filter() -> Filter {
    var filter_: Filter;
    for (var i = 0u; i < COEFFICIENTS; i++) { // unroll
        filter_.all[i] = constant(i / 4u)[i % 4u];
    }
    return filter_;
}

// An output of the last section, and the states after its row.
struct Row {
    y: real,
    z: State,
}

fn row_after(own: Filter, z: State, x: real) -> Row {
    var next: State;
    var signal = x;
    for (var i = 0u; i < SECTIONS; i++) { // unroll
        let y = fma(own.all[5u * i], signal, z[2u * i]);
        next[2u * i] = fma(-own.all[5u * i + 3u], y, fma(own.all[5u * i + 1u], signal, z[2u * i + 1u]));
        next[2u * i + 1u] = fma(-own.all[5u * i + 4u], y, own.all[5u * i + 2u] * signal);
        signal = y;
    }
    return Row(signal, next);
}
