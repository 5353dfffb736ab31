// role: held
import package::shared::place::{CHUNKS, Share};
import roles::chunk_rows::{Rows, load_chunk};
import roles::map::{SliceMap, Value};
import roles::scan_start::begin_scan;
import roles::slice::slice_of;
import roles::slice_scan::{Slice, value_before_chunk, whole_of};
import roles::solve_chunk::solve_chunk;

// What a thread holds of a slice in one pass: one chunk.
alias Held = Rows;
alias HeldSlice = Slice;

fn begin_held(t: u32) {
    begin_scan(t);
}

fn load_held(share: Share, t: u32) -> Held {
    return load_chunk(share.problem, share.chunk);
}

// A slice that another workgroup should have told, as one map.
fn map_of_slice(problem: u32, slice: u32, t: u32) -> SliceMap {
    let chunk = slice * CHUNKS + t;
    return whole_of(slice_of(t, problem, chunk, load_chunk(problem, chunk)));
}

fn held_slice_of(share: Share, t: u32, held: Held) -> HeldSlice {
    return slice_of(t, share.problem, share.chunk, held);
}

fn is_settled(slice: HeldSlice, t: u32) -> bool {
    return false;
}

fn whole_of_held(slice: HeldSlice) -> SliceMap {
    return whole_of(slice);
}

fn solve_held(share: Share, t: u32, held: Held, slice: HeldSlice, before: Value) {
    solve_chunk(share.problem, share.chunk, held, value_before_chunk(slice, before), share.owned);
}
