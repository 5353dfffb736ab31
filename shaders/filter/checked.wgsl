import package::shared::lead::lead;
import package::shared::order::{REVERSE, place_of, start_of};
import package::shared::place::Share;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import package::shared::status::{report_input, report_result};
import super::filter_rows::Start;
import super::final::{store_final, wants_finals};
import super::state::{State, finite_state};
import roles::form::{Filter, row_after};
import roles::real::is_finite;
import roles::signal::signal_at;
import roles::signal_heads::{NEVER, goes_on, next_start, packed_ended, starts_signal};

// Filters a chunk's rows one by one, and returns the state behind them. Reports numbers that are not finite, and stores the
// final states of packed sequences. A rolled loop, since unused code costs time too.
fn checked_rows(share: Share, chunk: u32, own: Filter, start: Start) -> State {
    let base = matrix_base(share.problem);
    let at = start_of(chunk) - lead(base);
    var z = start.z;
    var next = start;
    var finite = true;
    // The row before left a state that is not finite, perhaps behind a finite output.
    let row_before = select(at - 1u, at + ROWS, REVERSE);
    if (goes_on(start) && row_before < params.n && !finite_state(z)) {
        report_result(share.problem, row_before);
        finite = false;
    }
    for (var i = 0u; i < ROWS; i++) {
        let row = at + place_of(i);
        if (row < params.n) {
            if (i == next.row) {
                z = next.coming;
                next = next_start(next);
            }
            // Only the state before the first row comes from the caller.
            if (starts_signal(base, chunk * ROWS + i)) {
                finite = true;
                if (!finite_state(z)) {
                    report_input(share.problem, row);
                }
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
            let ended = packed_ended(chunk * ROWS + i);
            if (ended != NEVER && wants_finals()) {
                store_final(ended, z);
            }
        }
    }
    return z;
}
