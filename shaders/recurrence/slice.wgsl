// role: slice
import super::affine_slice::{Slice, stays_near};
import super::affine_chunk::{far_map_of, map_of};
import super::far_slice::{any_left_range, far_scanned};
import super::recurrence_rows::AffineRows;
import roles::scan::scanned;

// The maps of a slice, of which a thread has these rows.
fn slice_of(t: u32, problem: u32, chunk: u32, rows: AffineRows) -> Slice {
    var slice: Slice;
    slice.near = scanned(t, map_of(problem, chunk, rows));
    let is_far = any_left_range(stays_near(slice.near));
    slice.is_far = is_far;
    if (is_far) {
        slice.far = far_scanned(t, far_map_of(problem, chunk));
    }
    return slice;
}
