import package::shared::lead::lead;
import package::shared::order::{SLICE_CHUNKS, place_of, start_of};
import package::shared::place::Share;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import super::constants::into_basis;
import super::state::{State, no_state};
import roles::form::{row_after, the_filter};
import roles::real::real;
import roles::scan::scanned;
import roles::signal::signal_at;
import roles::signal_heads::{first_start, next_start, places_since_head};

// The final state of another slice, for state 0 (slice 0: the initial state), in the basis. A rolled loop: the workgroup's
// own slice occupies the registers.
fn fallback_sum(problem: u32, slice: u32, t: u32) -> State {
    let base = matrix_base(problem);
    let chunk = slice * SLICE_CHUNKS + t;
    let own = the_filter();
    var start = first_start(Share(slice, problem, problem, chunk, true), chunk);
    var z = start.z;
    let at = start_of(chunk) - lead(base);
    for (var i = 0u; i < ROWS; i++) {
        let row = at + place_of(i);
        if (i == start.row) {
            z = start.coming;
            start = next_start(start);
        }
        let x = select(real(0.0), signal_at(base, row), row < params.n);
        z = row_after(own, z, x).z;
    }
    let behind = (SLICE_CHUNKS - 1u - t) * ROWS;
    if (places_since_head((slice + 1u) * SLICE_CHUNKS * ROWS) <= behind) {
        // A head behind this chunk forgets it.
        z = no_state();
    }
    return scanned(t, into_basis(z)).whole;
}
