// role: kernel
import package::shared::order::SLICE_CHUNKS;
import package::shared::place::Share;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::{INPUTS_WRITABLE, ROWS};
import super::checked::checked_rows;
import super::constants::{forgotten_slices, out_of_basis};
import super::fallback_sum::fallback_sum;
import super::final::{store_final, wants_finals};
import super::powers::advanced;
import super::responses::{no_output, outputs_with};
import super::search::{SLICES_AT, Search, search, take_in};
import super::state::{State, finite_state, no_state};
import super::streams::{Assignment, assignment_of};
import super::told_states::{NOTHING, STATE, SUM, begin_launch, empty_states, tell_state, told_state};
import roles::form::the_filter;
import roles::signal_heads::{
    PACKED, first_start, has_last_row, keep_start, places_since_head, rows_reached, start_kept,
};
import roles::held_outputs::{before_held, chunk_of_outputs, filter_held, store_outputs, sum_of_held};
import roles::numbers::take_filter_of;
import roles::real::is_finite;
import roles::search_window::search_back;

// One launch (f32: 4 bytes per row read, 4 written): decoupled look-back (Merrill and Garland 2016) over states. A
// workgroup filters its slice from state 0 and tells the others the final state. It looks back until it knows the state
// before its slice, tells the state behind it, and adds the response to that state to the outputs in its registers.
//
// WebGPU guarantees neither progress nor start order of workgroups. After a bounded wait a workgroup filters the missing
// slice itself ("decoupled fallback"). In place, that slice's rows may be overwritten meanwhile. Its state was then told
// first, and is used instead.

// For tests: this slice, or all, publish nothing, so that others fall back. In place they publish once their own state is
// known, since no slice may write before that.
override WITHHELD: u32 = 0xffffffffu;
const ALL_WITHHELD: u32 = 0xfffffffeu;

// Whether a packed sequence begins in a slice, so that its final state does not depend on the state before it.
fn has_head(slice: u32) -> bool {
    let rows = SLICE_CHUNKS * ROWS;
    return places_since_head((slice + 1u) * rows) <= rows;
}

// The state before a slice, in the basis. The first slice of a segment filters the earlier slices without waiting.
fn state_before_slice(share: Share, own: Assignment, first: u32, t: u32) -> State {
    // By `own`, which compilers know to be uniform, as `share` is not.
    var known = Search(no_state(), own.slice, own.starts_segment, own.slice == 0u);
    // A round takes in a slice at least, or finds that one is missing, which the next round takes in.
    for (var round = 0u; round <= 2u * params.slices && !known.done; round++) {
        if (known.missing) {
            let missing = known.next - 1u;
            let sum = fallback_sum(share.problem, missing, t);
            // After the rows have been read.
            storageBarrier();
            let now = told_state(first + missing);
            // All threads have to know the same: the first one's.
            if (t == 0u) {
                if (now.kind == NOTHING) {
                    take_in(share.slice, select(SUM, STATE, missing == 0u || has_head(missing)), sum);
                } else {
                    take_in(share.slice, now.kind, now.z);
                }
                search.missing = own.starts_segment;
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
    let own_slice = assignment_of(w);
    if (own_slice.slice >= params.slices) {
        return;
    }
    let share = Share(own_slice.slice, own_slice.problem, own_slice.problem, own_slice.slice * SLICE_CHUNKS + t, true);
    take_filter_of(share.problem);
    let first = share.problem * params.slices;
    let slot = first + share.slice;
    let own = the_filter();
    let chunk = chunk_of_outputs(share, t);
    let start = first_start(share, chunk);
    keep_start(start);
    var held = filter_held(share, t, own, start);
    let whole = sum_of_held(held);
    let tells = share.slice != WITHHELD && WITHHELD != ALL_WITHHELD && params.slices > 1u;
    // The final state does not depend on the initial one: first slice, or the filter forgets within a slice.
    let settled = share.slice == 0u || forgotten_slices() <= 1u || has_head(own_slice.slice);
    if (t == 0u) {
        search = Search(no_state(), share.slice, own_slice.starts_segment, share.slice == 0u);
        if (tells) {
            tell_state(slot, select(SUM, STATE, settled), whole);
        }
    }
    let coming = state_before_slice(share, own_slice, first, t);
    if (t == 0u && params.slices > 1u && ((tells && !settled) || (INPUTS_WRITABLE && !tells))) {
        tell_state(slot, STATE, advanced(SLICES_AT + 1u, coming, whole));
    }
    if (INPUTS_WRITABLE) {
        // The slice has told before y is written anywhere.
        storageBarrier();
    }
    let before = before_held(held, share, t, coming);
    held.y = outputs_with(before, held.y, rows_reached(start));
    let finals = wants_finals() && has_last_row(matrix_base(share.problem), chunk);
    // Before y is written, which may lie over the signal.
    if (finals || !finite_state(before) || !is_finite(no_output(held.y))) {
        let z = checked_rows(share, chunk, own, start_kept(share, chunk, out_of_basis(before)));
        if (finals && !PACKED) {
            store_final(share.problem, z);
        }
    }
    store_outputs(share, t, held);
    if (params.slices > 1u) {
        empty_states(slot, t);
    }
}
