// role: signal_heads
import package::shared::head::Head;
import package::shared::heads_in_order::{head_from, next_head, problem_in_order};
import package::shared::lead::places_before;
import package::shared::place::Share;
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::filter_rows::Start;
import super::initial_state::initial_state_of;
import super::state::{State, no_state};

// Packed sequences: an initial state comes in at each head, and the state before it is lost.

const PACKED: bool = true;
const NEVER: u32 = 0xffffffffu;

// Whether there are initial states that are not 0.
override INITIALS: bool = false;
override SEVERAL_STARTS: bool = INITIALS;

fn start_at_head(z: State, head: Head) -> Start {
    var start = Start(z, no_state(), head.rows, head.problem);
    if (INITIALS && head.rows < ROWS) {
        start.coming = initial_state_of(head.problem);
    }
    return start;
}

fn first_start(share: Share, chunk: u32) -> Start {
    return start_at_head(no_state(), head_from(chunk * ROWS));
}

fn heads_of(start: Start) -> u32 {
    var heads = 0u;
    for (var row = start.row; row < ROWS; row += params.packed_rows) {
        heads |= 1u << row;
    }
    return heads;
}

fn next_start(start: Start) -> Start {
    return start_at_head(start.z, next_head(Head(start.row, start.problem)));
}

// Many threads have one: it is read once more.
fn keep_start(start: Start) {
}

fn start_kept(share: Share, chunk: u32, z: State) -> Start {
    return start_at_head(z, head_from(chunk * ROWS));
}

fn goes_on(start: Start) -> bool {
    return start.row > 0u;
}

fn rows_reached(start: Start) -> u32 {
    return start.row;
}

fn places_since_head(place: u32) -> u32 {
    let before = places_before(0u);
    if (place <= before) {
        return NEVER;
    }
    return (place - before - 1u) % params.packed_rows + 1u;
}

fn parts_with_heads(place: u32, count: u32, parts: u32) -> u32 {
    if (params.packed_rows <= count) {
        // Before the first head all states are 0.
        return (1u << parts) - 1u;
    }
    var head = head_from(place).rows;
    var found = 0u;
    for (var part = 0u; part < parts; part++) {
        if (head < (part + 1u) * count) {
            found |= 1u << part;
            head += params.packed_rows;
        }
    }
    return found;
}

fn starts_signal(base: u32, place: u32) -> bool {
    return head_from(place).rows == 0u;
}

fn has_last_row(base: u32, chunk: u32) -> bool {
    return head_from(chunk * ROWS + 1u).rows < ROWS;
}

fn packed_ended(place: u32) -> u32 {
    let row = place - places_before(0u);
    if (place < places_before(0u) || (row + 1u) % params.packed_rows != 0u) {
        return NEVER;
    }
    return problem_in_order(row / params.packed_rows);
}

fn sequences() -> u32 {
    return params.packed_problems;
}
