// role: kernel
import package::shared::order::SLICE_CHUNKS;
import package::shared::place::Share;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::{INPUTS_WRITABLE, ROWS};
import super::checked::{checked_rows, has_last_row};
import super::constants::{forgotten_slices, out_of_basis};
import super::direct_form::{first_start, the_filter};
import super::final::{store_final, wants_finals};
import super::powers::advanced;
import super::search::{Search, search, take_in};
import super::slow_sum::slow_sum;
import super::state::{State, finite_state, no_state};
import super::streams::turn_of;
import super::told_states::{NOTHING, STATE, SUM, begin_launch, empty_states, tell_state, told_state};
import roles::held_outputs::{before_held, chunk_of_outputs, filter_held, store_outputs, sum_of_held, with_state};
import roles::real::is_finite;
import roles::search_window::search_back;

// Everything in one launch (f32: 4 bytes per row read, 4 written): decoupled look-back (Merrill and Garland 2016) over
// states. A workgroup filters its slice from no state, tells the state behind that, looks back over the slices before
// until it knows the state before its own, tells the state behind that, and adds to the outputs, which stayed in
// registers, what that state contributes to them.
//
// Nobody promises that a workgroup goes on once it has begun, or begins at all. One that has waited long enough for a
// slice filters that itself ("decoupled fallback"). Where y lies over the signal, rows may be overwritten while they are
// read so; but then the slice has told before, which the barriers below keep in order, and that is taken instead.

// A slice that tells nobody anything, for tests: others have to do without. Over its own input it tells at last, since
// none may write before.
override WITHHELD: u32 = 0xffffffffu;

// Which power is that of a slice.
const SLICE_POWER = 0u; // set by Rust

// The state before a slice, in the basis. Who is `alone` waits for nobody.
fn state_before_slice(share: Share, first: u32, t: u32, alone: bool) -> State {
    var known = Search(no_state(), share.slice, alone, share.slice == 0u);
    // Every round takes in a slice at least.
    for (var round = 0u; round <= params.slices && !known.done; round++) {
        if (known.missing) {
            let missing = known.next - 1u;
            let sum = slow_sum(share.problem, missing, t);
            // After the rows have been read.
            storageBarrier();
            let now = told_state(first + missing);
            // All threads have to know the same: the first one's.
            if (t == 0u) {
                if (now.kind == NOTHING) {
                    take_in(share.slice, select(SUM, STATE, missing == 0u), sum);
                } else {
                    take_in(share.slice, now.kind, now.z);
                }
                search.missing = alone;
            }
        } else {
            search_back(first, share.slice, t, known.next);
        }
        known = workgroupUniformLoad(&search);
    }
    return known.z;
}

fn run(w: u32, t: u32) {
    if (t == 0u) {
        begin_launch();
    }
    let turn = turn_of(w);
    if (turn.slice >= params.slices) {
        return;
    }
    let share = Share(turn.slice, turn.problem, turn.problem, turn.slice * SLICE_CHUNKS + t, true);
    let first = share.problem * params.slices;
    let slot = first + share.slice;
    let own = the_filter();
    let chunk = chunk_of_outputs(share, t);
    var held = filter_held(share, t, own, first_start(share, chunk));
    let whole = sum_of_held(held);
    let tells = share.slice != WITHHELD;
    // Nothing of the state before is left behind most slices.
    let settled = share.slice == 0u || forgotten_slices() <= 1u;
    if (t == 0u) {
        search = Search(no_state(), share.slice, turn.first, share.slice == 0u);
        if (tells) {
            tell_state(slot, select(SUM, STATE, settled), whole);
        }
    }
    let coming = state_before_slice(share, first, t, turn.first);
    if (t == 0u && ((tells && !settled) || (INPUTS_WRITABLE && !tells))) {
        tell_state(slot, STATE, advanced(SLICE_POWER, coming, whole));
    }
    if (INPUTS_WRITABLE) {
        // The slice has told before y is written anywhere.
        storageBarrier();
    }
    let before = before_held(held, t, coming);
    held = with_state(held, before);
    let finals = wants_finals() && has_last_row(matrix_base(share.problem), chunk);
    // Before y is written, which may lie over the signal.
    if (finals || !finite_state(before) || !is_finite(held.y[ROWS - 1u])) {
        // Once more: what is kept takes registers.
        var from_ = first_start(share, chunk);
        if (from_.row == ROWS) {
            from_.z = out_of_basis(before);
        }
        let z = checked_rows(share, chunk, own, from_);
        if (finals) {
            store_final(share.problem, z);
        }
    }
    store_outputs(share, t, held);
    empty_states(slot, t);
}
