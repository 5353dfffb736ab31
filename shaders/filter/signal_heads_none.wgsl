// role: signal_heads
import package::shared::lead::{lead, places_before};
import package::shared::order::{REVERSE, start_of};
import package::shared::place::Share;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import super::filter_rows::{REPLACES_WITHIN, Start};
import super::initial_state::initial_state_of;
import super::state::{State, no_state};

// A sequence by itself: one initial state, which comes in at its first row.

const PACKED: bool = false;
const NEVER: u32 = 0xffffffffu;

// For one pass: state 0, and the initial state at the first row of the sequence.
fn first_start(share: Share, chunk: u32) -> Start {
    let row = initial_row(share, chunk);
    if (row == ROWS) {
        return Start(no_state(), no_state(), ROWS, 0u);
    }
    let coming = initial_state_of(share.problem);
    if (REPLACES_WITHIN) {
        return Start(no_state(), coming, row, 0u);
    }
    return Start(coming, coming, row, 0u);
}

// The row of a chunk at which the initial state comes in, which is in one of the first two slices; ROWS for other chunks.
fn initial_row(share: Share, chunk: u32) -> u32 {
    if (share.slice > 1u) {
        return ROWS;
    }
    let before = places_before(matrix_base(share.problem));
    return select(ROWS, before % ROWS, chunk == before / ROWS);
}

// A bit for each row of a chunk at which a state comes in.
fn heads_of(start: Start) -> u32 {
    return select(0u, 1u << (start.row % 32u), start.row < ROWS);
}

const SEVERAL_STARTS: bool = false;

// There is no other.
fn next_start(start: Start) -> Start {
    return start;
}

// The initial state, for the one thread whose chunk begins with it or contains its row: what is kept in registers limits the
// workgroups that run at once.
var<workgroup> initial_kept: State;

fn keep_start(start: Start) {
    if (start.row < ROWS) {
        initial_kept = start.coming;
    }
}

// The start of a chunk with state z before it.
fn start_kept(share: Share, chunk: u32, z: State) -> Start {
    let row = initial_row(share, chunk);
    if (row < ROWS && !REPLACES_WITHIN) {
        return Start(initial_kept, initial_kept, row, 0u);
    }
    return Start(z, initial_kept, row, 0u);
}

// Whether the state before a chunk is that behind rows of its sequence.
fn goes_on(start: Start) -> bool {
    return start.row == ROWS;
}

// Rows that the state before their chunk reaches.
fn rows_reached(start: Start) -> u32 {
    return ROWS;
}

// Places from the last head before a place to that place.
fn places_since_head(place: u32) -> u32 {
    return NEVER;
}

// Of `parts` parts of `count` places each, the first of which begins at a place: a bit for each that contains a head.
fn parts_with_heads(place: u32, count: u32, parts: u32) -> u32 {
    return 0u;
}

fn starts_signal(base: u32, place: u32) -> bool {
    return place == places_before(base);
}

// Whether a chunk contains a last row in processing order.
fn has_last_row(base: u32, chunk: u32) -> bool {
    let at = start_of(chunk);
    let last = select(params.n - 1u, 0u, REVERSE) + lead(base);
    return at <= last && last < at + ROWS;
}

// The sequence whose last row is at a place, for kernels that take several as one.
fn packed_ended(place: u32) -> u32 {
    return NEVER;
}

fn sequences() -> u32 {
    return params.problems;
}
