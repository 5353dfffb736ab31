import package::shared::lead::{SHIFTED, places_before};
import package::shared::order::REVERSE;
import package::shared::place::Share;
import package::shared::problem::matrix_base;
import package::shared::sizes::ROWS;
import super::initial_state::initial_state_of;
import super::state::{State, no_state};
import roles::form::{Filter, row_after};
import roles::real::real;

// The rows of a chunk, one after the other.

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
        let now = row_after(own, z, rows[i]);
        z = now.z;
        done.y[i] = now.y;
    }
    done.z = z;
    return done;
}
