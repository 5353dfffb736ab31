// role: held_outputs
import package::shared::order::{as_they_lie, start_of};
import package::shared::place::{Share, place};
import package::shared::sizes::ROWS;
import super::constants::into_basis;
import super::filter_rows::{Start, filtered};
import super::signal_rows::load_signal_chunk;
import super::state::State;
import roles::form::Filter;
import roles::real::real;
import roles::scan::{Scan, scanned};
import roles::store::store_rows;
import roles::summary::joined;

// What a thread holds of a slice in one pass: a chunk as neighbouring rows.
struct HeldOutputs {
    // Outputs for state 0 before the slice (slice 0: the initial state).
    y: array<real, ROWS>,
    found: Scan,
}

fn chunk_of_outputs(share: Share, t: u32) -> u32 {
    return share.chunk;
}

fn filter_held(share: Share, t: u32, own: Filter, start: Start) -> HeldOutputs {
    let done = filtered(own, load_signal_chunk(share.problem, share.chunk), start);
    return HeldOutputs(done.y, scanned(t, into_basis(done.z)));
}

fn sum_of_held(held: HeldOutputs) -> State {
    return held.found.whole;
}

// The state before the chunk, given that before the slice.
fn before_held(held: HeldOutputs, share: Share, t: u32, coming: State) -> State {
    return joined(coming, held.found.before, place(t).chunk);
}

fn store_outputs(share: Share, t: u32, held: HeldOutputs) {
    store_rows(share.problem, start_of(share.chunk), as_they_lie(held.y), share.owned);
}
