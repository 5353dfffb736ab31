// role: kernel
import package::shared::place::share_of;
import roles::chunk_rows::load_chunk;
import roles::scan_start::begin_scan;
import roles::slice::slice_of;
import roles::slice_scan::value_before_chunk;
import roles::slice_start::before_slice;
import roles::solve_chunk::solve_chunk;

// The values of each slice, from the value before it: the last of three launches, or the only one where
// a sequence is one slice (f32: 8 bytes per row read, 4 written).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let rows = load_chunk(share.problem, share.chunk);
    begin_scan(t);
    let slice = slice_of(t, share.problem, share.chunk, rows);
    solve_chunk(share.problem, share.chunk, rows, value_before_chunk(slice, before_slice(share)), share.owned);
}
