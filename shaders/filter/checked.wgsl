import package::shared::lead::{lead, places_before};
import package::shared::order::{REVERSE, place_of, start_of};
import package::shared::place::Share;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import package::shared::status::{report_input, report_result};
import super::filter_rows::Start;
import super::state::{State, finite_state};
import roles::form::{Filter, row_after};
import roles::real::is_finite;
import roles::signal::signal_at;

// Filters a chunk's rows one by one, reports numbers that are not finite, returns the final state. A rolled loop, since
// unused code costs time too.
fn checked_rows(share: Share, chunk: u32, own: Filter, start: Start) -> State {
    let base = matrix_base(share.problem);
    let at = start_of(chunk) - lead(base);
    var z = start.z;
    var finite = true;
    // The row before left a state that is not finite, perhaps behind a finite output.
    let row_before = select(at - 1u, at + ROWS, REVERSE);
    if (start.row == ROWS && row_before < params.n && !finite_state(z)) {
        report_result(share.problem, row_before);
        finite = false;
    }
    for (var i = 0u; i < ROWS; i++) {
        let row = at + place_of(i);
        if (row < params.n) {
            if (i == start.row) {
                z = start.coming;
            }
            // Only the state before the first row comes from the caller.
            if (chunk * ROWS + i == places_before(base) && !finite_state(z)) {
                report_input(share.problem, row);
            }
            let x = signal_at(base, row);
            let now = row_after(own, z, x);
            z = now.z;
            if (!is_finite(x)) {
                report_input(share.problem, row);
            }
            if (finite && !(is_finite(now.y) && finite_state(z))) {
                report_result(share.problem, row);
                finite = false;
            }
        }
    }
    return z;
}

// Whether a chunk contains the last row in processing order.
fn has_last_row(base: u32, chunk: u32) -> bool {
    let at = start_of(chunk);
    let last = select(params.n - 1u, 0u, REVERSE) + lead(base);
    return at <= last && last < at + ROWS;
}
