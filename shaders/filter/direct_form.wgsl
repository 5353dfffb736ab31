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

// `z`: the state before the chunk. At `row`, the state before the slice (`coming`) replaces it: rows before `row` are
// padding. ROWS: no replacement in this chunk.
struct Start {
    z: State,
    coming: State,
    row: u32,
}

// Whether padding may precede the first row.
override HAS_LEADING_PADDING: bool = REVERSE || SHIFTED;

// Of a chunk with state z before it, in a slice with `coming` before it.
fn start_at(share: Share, chunk: u32, z: State, coming: State) -> Start {
    if (HAS_LEADING_PADDING) {
        let past = select(0u, places_before(matrix_base(share.problem)), share.slice == 0u);
        return Start(z, coming, select(ROWS, past % ROWS, chunk == past / ROWS));
    }
    if (chunk == 0u) {
        return Start(coming, coming, 0u);
    }
    return Start(z, coming, ROWS);
}

// For one pass: state 0, and the initial state at the first row of the sequence.
fn first_start(share: Share, chunk: u32) -> Start {
    let row = initial_row(share, chunk);
    if (row == ROWS) {
        return Start(no_state(), no_state(), ROWS);
    }
    let coming = initial_state_of(share.problem);
    if (HAS_LEADING_PADDING) {
        return Start(no_state(), coming, row);
    }
    return Start(coming, coming, row);
}

// The row of a chunk at which the initial state comes in, which is in one of the first two slices; ROWS for other chunks.
fn initial_row(share: Share, chunk: u32) -> u32 {
    if (share.slice > 1u) {
        return ROWS;
    }
    let before = places_before(matrix_base(share.problem));
    return select(ROWS, before % ROWS, chunk == before / ROWS);
}

struct Filtered {
    y: array<real, ROWS>,
    z: State,
}

fn filtered(own: Filter, rows: array<real, ROWS>, start: Start) -> Filtered {
    var done: Filtered;
    var z = start.z;
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (HAS_LEADING_PADDING && i == start.row) {
            z = start.coming;
        }
        let y = output_of(own, z, rows[i]);
        z = state_behind(own, z, rows[i], y);
        done.y[i] = y;
    }
    done.z = z;
    return done;
}
