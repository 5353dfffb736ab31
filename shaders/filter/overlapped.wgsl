// role: kernel
import package::shared::order::row_of_step;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import package::shared::status::{report_input, report_result};
import package::shared::workgroup::WORKGROUP;
import super::final::{store_final, wants_finals};
import super::initial_state::initial_state_of;
import super::state::{State, finite_state, no_state};
import roles::form::{Filter, row_after, the_filter};
import roles::numbers::take_filter_of;
import roles::real::{is_finite, real};
import roles::signal::signal_at;
import roles::store::store_row;

// Interleaved sequences in one launch (f32: 4 bytes per row read, and those of the overlap; 4 written). A thread filters one slice
// of a sequence, row after row. It begins `overlap_rows` rows before the slice, from state 0: by the slice, the state's influence
// has decayed below rounding. Neighbouring threads take neighbouring sequences, so that a load is one piece of memory.

// Rows step..end, one after the other, from the state z; writes those from `first` on. Reports what is not finite. A rolled loop,
// for the last rows of a sequence and for what is rare.
fn filter_one_by_one(problem: u32, own: Filter, z: State, step: u32, end: u32, first: u32) -> State {
    let base = matrix_base(problem);
    var state = z;
    // The first row of a slice says so where a state came out of range before the slice.
    var finite = step == first || finite_state(state);
    for (var at = step; at < end; at++) {
        let row = row_of_step(at);
        let x = signal_at(base, row);
        let now = row_after(own, state, x);
        state = now.z;
        // Rows before the slice are another thread's.
        if (at >= first) {
            store_row(problem, row, now.y);
            if (!is_finite(x)) {
                report_input(problem, row);
            }
            if (finite && !(is_finite(now.y) && finite_state(state))) {
                report_result(problem, row);
            }
        }
        finite = finite && finite_state(state);
    }
    return state;
}

fn run(w: u32, t: u32) {
    let index = w * WORKGROUP + t;
    let slice = index / params.problems;
    let problem = index % params.problems;
    if (slice >= params.slices) {
        return;
    }
    take_filter_of(problem);
    let own = the_filter();
    let base = matrix_base(problem);
    let first = slice * params.slice_rows;
    let end = min(first + params.slice_rows, params.n);
    var step = first - min(first, params.overlap_rows);
    var z = no_state();
    if (step == 0u) {
        z = initial_state_of(problem);
        if (first == 0u && !finite_state(z)) {
            report_input(problem, row_of_step(0u));
        }
    }
    for (; step < end; step += ROWS) {
        var x: array<real, ROWS>;
        var y: array<real, ROWS>;
        for (var i = 0u; i < ROWS; i++) { // unroll
            x[i] = signal_at(base, row_of_step(step + i));
        }
        var next = z;
        for (var i = 0u; i < ROWS; i++) { // unroll
            let now = row_after(own, next, x[i]);
            next = now.z;
            y[i] = now.y;
        }
        // What is not finite stays in the state.
        if (step + ROWS > end || !finite_state(next)) {
            z = filter_one_by_one(problem, own, z, step, min(step + ROWS, end), first);
            continue;
        }
        z = next;
        if (step >= first) {
            for (var i = 0u; i < ROWS; i++) { // unroll
                store_row(problem, row_of_step(step + i), y[i]);
            }
        }
    }
    if (end == params.n && wants_finals()) {
        store_final(problem, z);
    }
}
