// The maps of a slice, of which a thread has these rows.
fn slice_of(t: u32, problem: u32, chunk: u32, rows: Rows) -> Slice {
    var slice: Slice;
    slice.near = scanned(t, map_of(problem, chunk, rows));
    slice.is_far = any_left_range(stays_near(slice.near));
    if (slice.is_far) {
        slice.far = far_scanned(t, far_map_of(problem, chunk));
    }
    return slice;
}
