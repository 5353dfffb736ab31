// Each slice as one map: the first of three launches (f32: 8 bytes a row read).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let whole = scanned(t, map_of(share.problem, share.chunk, load_chunk(share.problem, share.chunk))).whole;
    if (place(t).chunk == 0u && share.owned) {
        slice_maps[share.problem * params.slices + share.slice] = whole;
    }
}
