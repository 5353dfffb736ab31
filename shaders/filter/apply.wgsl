// role: kernel
import package::shared::place::{place, share_of};
import super::constants::{into_basis, out_of_basis};
import super::filter_rows::{filtered, start_at};
import super::outputs::filter_chunk;
import super::signal_rows::load_signal_chunk;
import super::state::no_state;
import roles::form::the_filter;
import roles::numbers::take_filter_of;
import roles::scan::scanned;
import roles::slice_start::before_slice;

// The outputs of each slice, from the state before it: the last of three launches, or the only one where a sequence
// is one slice (f32: 4 bytes per row read, 4 written).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let chunk = place(t).chunk;
    take_filter_of(share.problem);
    let own = the_filter();
    let rows = load_signal_chunk(share.problem, share.chunk);
    let coming = before_slice(share);
    let found = scanned(t, into_basis(filtered(own, rows, start_at(share, chunk, no_state(), coming)).z));
    filter_chunk(share, own, rows, start_at(share, chunk, out_of_basis(found.before), coming));
}
