// The values of each slice, from the value before it: the last of three launches, or the only one where
// a sequence is one slice (f32: 8 bytes a row read, 4 written).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let rows = load_chunk(share.problem, share.chunk);
    let before = scanned(t, map_of(share.problem, share.chunk, rows)).before;
    solve_chunk(share.problem, share.chunk, rows, value_behind(before, before_slice(share)), share.owned);
}
