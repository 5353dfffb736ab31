import package::shared::lead::{SHIFTED, places_before};
import package::shared::order::REVERSE;
import package::shared::place::Share;
import package::shared::problem::matrix_base;
import package::shared::sizes::ROWS;
import super::constants::constants;
import super::initial_state::initial_state_of;
import super::sizes::ORDER;
import super::state::{State, no_state};
import roles::real::real;

const ORDER_BEFORE = 0u; // set by Rust
const TAPS = 0u; // set by Rust

// One row after the other, in direct form.

// b[0], ..., b[ORDER], and a[1], ..., a[ORDER] with a[0] = 1.
struct Filter {
    b: array<real, TAPS>,
    a: array<real, ORDER>,
}

fn the_filter() -> Filter {
    var filter_: Filter;
    for (var i = 0u; i < TAPS; i++) { // unroll
        filter_.b[i] = constants[i / 4u][i % 4u];
    }
    for (var i = 0u; i < ORDER; i++) { // unroll
        filter_.a[i] = constants[(TAPS + i) / 4u][(TAPS + i) % 4u];
    }
    return filter_;
}

fn output_of(own: Filter, z: State, x: real) -> real {
    return fma(own.b[0], x, z[0]);
}

fn state_behind(own: Filter, z: State, x: real, y: real) -> State {
    var next: State;
    for (var i = 0u; i < ORDER_BEFORE; i++) { // unroll
        next[i] = z[i + 1u];
    }
    // Half the registers of a sum without fma on an H200.
    for (var i = 0u; i < ORDER; i++) { // unroll
        next[i] = fma(-own.a[i], y, fma(own.b[i + 1u], x, next[i]));
    }
    return next;
}

// The state before a chunk. The one before the slice comes in at a row, where rows come before it that are none of the
// sequence; at no row of the chunk where that is ROWS.
struct Start {
    z: State,
    coming: State,
    row: u32,
}

// Whether rows that are none of the sequence may come first.
override LATE: bool = REVERSE || SHIFTED;

// Of a chunk with state z before it, in a slice with `coming` before it.
fn start_at(share: Share, chunk: u32, z: State, coming: State) -> Start {
    if (LATE) {
        let past = select(0u, places_before(matrix_base(share.problem)), share.slice == 0u);
        return Start(z, coming, select(ROWS, past % ROWS, chunk == past / ROWS));
    }
    if (chunk == 0u) {
        return Start(coming, coming, 0u);
    }
    return Start(z, coming, ROWS);
}

// Of a chunk of the sequence, with no state before it but the initial one, which comes in at the first row.
fn first_start(share: Share, chunk: u32) -> Start {
    if (share.slice > 1u) {
        return Start(no_state(), no_state(), ROWS);
    }
    let past = places_before(matrix_base(share.problem));
    let coming = initial_state_of(share.problem);
    if (LATE) {
        return Start(no_state(), coming, select(ROWS, past % ROWS, chunk == past / ROWS));
    }
    if (chunk == 0u) {
        return Start(coming, coming, 0u);
    }
    return Start(no_state(), no_state(), ROWS);
}

struct Filtered {
    y: array<real, ROWS>,
    z: State,
}

fn filtered(own: Filter, rows: array<real, ROWS>, start: Start) -> Filtered {
    var done: Filtered;
    var z = start.z;
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (LATE && i == start.row) {
            z = start.coming;
        }
        let y = output_of(own, z, rows[i]);
        z = state_behind(own, z, rows[i], y);
        done.y[i] = y;
    }
    done.z = z;
    return done;
}
