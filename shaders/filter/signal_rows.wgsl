import package::shared::order::{REVERSE, place_of, start_of};
import package::shared::place::{CHUNKS, Share};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::sizes::ORDER;
import super::state::{State, constants};
import roles::real::real;
import roles::signal::load_signal;

const ORDER_BEFORE = 0u; // set by Rust
const TAPS = 0u; // set by Rust

// The rows of a chunk, one after the other.

// ROWS rows of the signal in the filter's order, 0 past the end; few threads have such rows.
fn load_signal_chunk(problem: u32, chunk: u32) -> array<real, ROWS> {
    let start = start_of(chunk);
    let lying = load_signal(problem, start);
    var rows: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows[i] = select(lying[i], lying[ROWS - 1u - i], REVERSE);
    }
    if (start + ROWS > params.n) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            if (start + place_of(i) >= params.n) {
                rows[i] = 0.0;
            }
        }
    }
    return rows;
}

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
    return own.b[0] * x + z[0];
}

fn state_behind(own: Filter, z: State, x: real, y: real) -> State {
    var next: State;
    for (var i = 0u; i < ORDER; i++) { // unroll
        next[i] = own.b[i + 1u] * x - own.a[i] * y;
    }
    for (var i = 0u; i < ORDER_BEFORE; i++) { // unroll
        next[i] += z[i + 1u];
    }
    return next;
}

// The state before a chunk. In reverse the one before the slice comes in at a row, behind those past the end; at none
// where that is ROWS.
struct Start {
    z: State,
    coming: State,
    row: u32,
}

// Of a chunk with state z before it, in a slice with `coming` before it.
fn start_at(share: Share, chunk: u32, z: State, coming: State) -> Start {
    if (REVERSE) {
        let past = select(0u, params.slices * CHUNKS * ROWS - params.n, share.slice == 0u);
        return Start(z, coming, select(ROWS, past % ROWS, chunk == past / ROWS));
    }
    if (chunk == 0u) {
        return Start(coming, coming, 0u);
    }
    return Start(z, coming, ROWS);
}

struct Filtered {
    y: array<real, ROWS>,
    z: State,
}

fn filtered(own: Filter, rows: array<real, ROWS>, start: Start) -> Filtered {
    var done: Filtered;
    var z = start.z;
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (REVERSE && i == start.row) {
            z = start.coming;
        }
        let y = output_of(own, z, rows[i]);
        z = state_behind(own, z, rows[i], y);
        done.y[i] = y;
    }
    done.z = z;
    return done;
}
