// role: search_window
import package::shared::workgroup::WORKGROUP;
import super::constants::forgotten_slices;
import super::search::{LOOKS, behind_slices, search};
import super::sizes::ORDER;
import super::state::no_state;
import super::told_states::{NOTHING, STATE, ToldState, no_state_told, told_state};

// Look-back without shuffles: one slice per thread; one thread sums.
override WINDOW: u32 = min(WORKGROUP, 32u);
var<workgroup> seen: array<ToldState, WINDOW>;

// Adds the states told by slices search.next - 1, search.next - 2, ... up to the first that has told nothing.
fn search_back(first: u32, slice: u32, t: u32, next: u32) {
    if (t < WINDOW) {
        var look = no_state_told();
        let distance = slice - next + t;
        if (t >= next || distance >= forgotten_slices()) {
            look = ToldState(STATE, no_state());
        }
        for (var looks = 0u; looks < LOOKS && look.kind == NOTHING; looks++) {
            look = told_state(first + next - 1u - t);
        }
        // What is not needed has no power in the tables either.
        look.z = behind_slices(look.z, select(0u, distance, look.kind != NOTHING && t < next));
        seen[t] = look;
    }
    workgroupBarrier();
    if (t == 0u) {
        var count = 0u;
        for (; count < WINDOW && !search.done && !search.missing; count++) {
            let look = seen[count];
            if (look.kind == NOTHING) {
                search.missing = count == 0u;
                break;
            }
            for (var i = 0u; i < ORDER; i++) { // unroll
                search.z[i] += look.z[i];
            }
            search.done = look.kind == STATE;
        }
        search.next = next - min(count, next);
    }
}
