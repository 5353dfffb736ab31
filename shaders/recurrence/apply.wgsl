// The values of each slice, from the value before it: the last of three launches, or the only one where
// a sequence is one slice (f32: 8 bytes a row read, 4 written).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let rows = load_chunk(share.problem, share.chunk);
    begin_scan(t);
    let slice = slice_of(t, share.problem, share.chunk, rows);
    solve_chunk(share.problem, share.chunk, rows, value_before_chunk(slice, before_slice(share)), share.owned);
}
