// role: kernel
import package::shared::problem::params;
import package::shared::sizes::AHEAD;
import package::shared::workgroup::WORKGROUP;
import super::initial_state::initial_state_of;
import super::slice_states::slice_states;
import super::slice_sums::slice_sums;
import super::constants::into_basis;
import super::powers::advanced;
import super::state::{State, no_state};
import roles::numbers::take_filter_of;
import roles::scan::scanned;

// The state before each slice, from what the slices leave: the second of three launches, a workgroup per sequence, each of
// its threads a run of neighbouring slices.

// Powers before those of the threads' runs: of a slice, and of the first one's own rows, which in reverse are fewer.
const SLICE: u32 = 0u;
const FIRST_SLICE: u32 = 1u;

// Sums that are asked for at once: each takes its time to come.
fn sums_from(slice: u32, stop: u32) -> array<State, AHEAD> {
    var sums: array<State, AHEAD>;
    for (var i = 0u; i < AHEAD; i++) { // unroll
        sums[i] = slice_sums[min(slice + i, stop - 1u)];
    }
    return sums;
}

fn run(problem: u32, t: u32) {
    take_filter_of(problem);
    let first = problem * params.slices;
    let each = (params.slices + WORKGROUP - 1u) / WORKGROUP;
    let start = first + min(t * each, params.slices);
    let stop = min(start + each, first + params.slices);
    let initial_state = into_basis(initial_state_of(problem));
    var z = no_state();
    if (t == 0u) {
        z = initial_state;
    }
    for (var slice = start; slice < stop; slice += AHEAD) {
        let sums = sums_from(slice, stop);
        for (var i = 0u; i < AHEAD; i++) { // unroll
            if (slice + i < stop) {
                z = advanced(select(SLICE, FIRST_SLICE, slice + i == first), z, sums[i]);
            }
        }
    }
    let found = scanned(t, z);
    z = found.before;
    if (t == 0u) {
        z = initial_state;
    }
    for (var slice = start; slice < stop; slice += AHEAD) {
        let sums = sums_from(slice, stop);
        for (var i = 0u; i < AHEAD; i++) { // unroll
            if (slice + i < stop) {
                slice_states[slice + i] = z;
                z = advanced(select(SLICE, FIRST_SLICE, slice + i == first), z, sums[i]);
            }
        }
    }
}
