// role: search_window
import package::shared::place::{LOG_RUN, RUN};
import package::shared::problem::params;
import super::constants::forgotten_slices;
import super::search::{LOOKS, behind_slices, search};
import super::shuffle::from_behind;
import super::sizes::ORDER;
import super::state::no_state;
import super::told_states::{NOTHING, STATE, ToldState, no_state_told, told_state};

// Look-back with shuffles: one slice per lane; states are summed pairwise.

// Adds the states told by slices search.next - 1, search.next - 2, ... up to the first that has told nothing.
fn search_back(first: u32, slice: u32, t: u32, next: u32) {
    if (t >= RUN) {
        return;
    }
    var look = no_state_told();
    let distance = slice - next + t;
    if (t >= next || distance >= forgotten_slices()) {
        look = ToldState(STATE, no_state());
    }
    // The nearest slice that has told nothing, and the nearest whose state is known.
    var silent = RUN;
    var known = RUN;
    for (var looks = 0u; looks < LOOKS; looks++) {
        if (look.kind != STATE) {
            look = told_state(first + next - 1u - t);
        }
        silent = subgroupMin(select(RUN, t, look.kind == NOTHING));
        known = subgroupMin(select(RUN, t, look.kind == STATE));
        if (known < silent || silent >= RUN) {
            break;
        }
    }
    // What is not needed has no power in the tables either.
    let is_needed = t <= known && t < silent && t < next;
    if (!is_needed) {
        look.z = no_state();
    }
    var sum = behind_slices(look.z, select(0u, distance, is_needed));
    // If the state behind the nearest slice is known, as usual, no sum is needed.
    if (known > 0u) {
        for (var level = 0u; level < LOG_RUN + params.zero; level++) {
            let other = from_behind(sum, 1u << level);
            if (t + (1u << level) < RUN) {
                for (var i = 0u; i < ORDER; i++) { // unroll
                    sum[i] += other[i];
                }
            }
        }
    }
    if (t == 0u) {
        for (var i = 0u; i < ORDER; i++) { // unroll
            search.z[i] += sum[i];
        }
        search.done = known < silent;
        search.next = next - min(silent, next);
        search.missing = silent == 0u;
    }
}
