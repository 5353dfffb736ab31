// role: kernel
import package::shared::place::{place, share_of};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::constants::into_basis;
import super::filter_rows::{Start, filtered};
import super::signal_rows::load_signal_chunk;
import super::slice_sums::slice_sums;
import super::state::no_state;
import roles::form::the_filter;
import roles::numbers::take_filter_of;
import roles::scan::scanned;

// The final state of each slice for state 0: the first of three launches (f32: 4 bytes per row read).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    take_filter_of(share.problem);
    let start = Start(no_state(), no_state(), ROWS, 0u);
    let done = filtered(the_filter(), load_signal_chunk(share.problem, share.chunk), start);
    let found = scanned(t, into_basis(done.z));
    if (place(t).chunk == 0u && share.owned) {
        slice_sums[share.problem * params.slices + share.slice] = found.whole;
    }
}
