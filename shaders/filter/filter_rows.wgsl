import package::shared::lead::{SHIFTED, places_before};
import package::shared::order::REVERSE;
import package::shared::place::Share;
import package::shared::problem::matrix_base;
import package::shared::sizes::ROWS;
import super::state::State;
import roles::form::{Filter, row_after};
import roles::real::real;
import roles::signal_heads::{SEVERAL_STARTS, heads_of, next_start};

// The rows of a chunk, one after the other.

// `z`: the state before the chunk. At `row`, another state replaces it (`coming`): that before the slice, where rows before `row` are
// padding; or the initial state of a packed sequence, whose number is `problem`. From ROWS on: no replacement in this chunk.
struct Start {
    z: State,
    coming: State,
    row: u32,
    problem: u32,
}

// Whether a state may come in inside a chunk: behind padding, or at the head of a packed sequence.
override REPLACES_WITHIN: bool = REVERSE || SHIFTED;

// Of a chunk with state z before it, in a slice with `coming` before it.
fn start_at(share: Share, chunk: u32, z: State, coming: State) -> Start {
    if (REPLACES_WITHIN) {
        let past = select(0u, places_before(matrix_base(share.problem)), share.slice == 0u);
        return Start(z, coming, select(ROWS, past % ROWS, chunk == past / ROWS), 0u);
    }
    if (chunk == 0u) {
        return Start(coming, coming, 0u, 0u);
    }
    return Start(z, coming, ROWS, 0u);
}

struct Filtered {
    y: array<real, ROWS>,
    z: State,
}

fn filtered(own: Filter, rows: array<real, ROWS>, start: Start) -> Filtered {
    var done: Filtered;
    var z = start.z;
    var next = start;
    let heads = heads_of(start);
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (REPLACES_WITHIN && (heads & (1u << i)) != 0u) {
            z = next.coming;
            if (SEVERAL_STARTS) {
                next = next_start(next);
            }
        }
        let now = row_after(own, z, rows[i]);
        z = now.z;
        done.y[i] = now.y;
    }
    done.z = z;
    return done;
}
