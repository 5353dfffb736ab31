import package::shared::order::{REVERSE, place_of, start_of};
import package::shared::place::Share;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import package::shared::status::{report_input, report_result};
import super::final::{store_final, wants_finals};
import super::signal_rows::{Filter, Start, filtered, output_of, state_behind};
import super::state::{State, finite_state};
import roles::real::{is_finite, real};
import roles::signal::signal_at;
import roles::store::store_rows;

// The outputs of a chunk.

// Row by row, of those that there are, with reports of what is not finite; the state behind them. A short loop, since
// code costs time also where it is not run.
fn checked_rows(share: Share, own: Filter, start: Start) -> State {
    let base = matrix_base(share.problem);
    let at = start_of(share.chunk);
    var z = start.z;
    var finite = true;
    for (var i = 0u; i < ROWS; i++) {
        let row = at + place_of(i);
        if (row < params.n) {
            if (REVERSE && i == start.row) {
                z = start.coming;
            }
            // Of the caller's is only the state before all rows.
            if (share.slice == 0u && i == start.row && !finite_state(z)) {
                report_input(share.problem, row);
            }
            let x = signal_at(base, row);
            let y = output_of(own, z, x);
            z = state_behind(own, z, x, y);
            if (!is_finite(x)) {
                report_input(share.problem, row);
            }
            if (finite && !(is_finite(y) && finite_state(z))) {
                report_result(share.problem, row);
                finite = false;
            }
        }
    }
    return z;
}

fn filter_chunk(share: Share, own: Filter, rows: array<real, ROWS>, start: Start) {
    let at = start_of(share.chunk);
    let done = filtered(own, rows, start);
    var z = done.z;
    // Before y is written, which may lie over the signal.
    let finals = wants_finals();
    let ends_within = finals && !REVERSE && at < params.n && at + ROWS > params.n;
    if (ends_within || !finite_state(z)) {
        z = checked_rows(share, own, start);
    }
    if (finals && share.owned) {
        let last = select(at < params.n && at + ROWS >= params.n, at == 0u, REVERSE);
        if (last) {
            store_final(share.problem, z);
        }
    }
    var lying: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        lying[i] = select(done.y[i], done.y[ROWS - 1u - i], REVERSE);
    }
    store_rows(share.problem, at, lying, share.owned);
}
