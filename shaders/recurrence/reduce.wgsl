// role: kernel
import package::shared::place::{place, share_of};
import package::shared::problem::params;
import super::slice_maps::slice_maps;
import roles::chunk_rows::load_chunk;
import roles::scan_start::begin_scan;
import roles::slice::slice_of;
import roles::slice_scan::whole_of;

// Each slice as one map: the first of three launches (f32: 8 bytes per row read).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    begin_scan(t);
    let whole = whole_of(slice_of(t, share.problem, share.chunk, load_chunk(share.problem, share.chunk)));
    if (place(t).chunk == 0u && share.owned) {
        slice_maps[share.problem * params.slices + share.slice] = whole;
    }
}
