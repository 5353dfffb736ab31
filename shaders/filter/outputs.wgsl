import package::shared::order::{REVERSE, as_they_lie, start_of};
import package::shared::place::Share;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import super::checked::checked_rows;
import super::filter_rows::{Start, filtered};
import super::final::{store_final, wants_finals};
import super::state::finite_state;
import roles::form::Filter;
import roles::real::real;
import roles::signal_heads::has_last_row;
import roles::store::store_rows;

// The outputs of a chunk.
fn filter_chunk(share: Share, own: Filter, rows: array<real, ROWS>, start: Start) {
    let done = filtered(own, rows, start);
    var z = done.z;
    let ends = wants_finals() && has_last_row(matrix_base(share.problem), share.chunk);
    // Before y is written, which may lie over the signal.
    if ((ends && !REVERSE && start_of(share.chunk) + ROWS > params.n) || !finite_state(z)) {
        z = checked_rows(share, share.chunk, own, start);
    }
    if (ends && share.owned) {
        store_final(share.problem, z);
    }
    store_rows(share.problem, start_of(share.chunk), as_they_lie(done.y), share.owned);
}
