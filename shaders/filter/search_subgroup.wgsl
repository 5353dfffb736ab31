// role: search_window
import package::shared::place::{LOG_RUN, RUN};
import package::shared::problem::params;
import super::constants::forgotten_slices;
import super::search::{LOOKS, behind_slices, search};
import super::shuffle::from_behind;
import super::sizes::ORDER;
import super::state::no_state;
import super::told_states::{NOTHING, STATE, ToldState, no_state_told, told_state};

// Looking back with shuffles: a lane a slice, whose states are added up two by two.

// Takes in what is told by slices search.next - 1, search.next - 2, ... as far as it goes.
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
    if (t > known || t >= silent) {
        look.z = no_state();
    }
    var sum = behind_slices(look.z, distance);
    // The slice right before, as mostly, needs no sum.
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
