// role: held
import package::shared::place::{CHUNKS, Share};
import super::affine::Affine;
import super::affine_slice::Slice;
import super::affine_chunk::far_map_of;
import super::recurrence_rows::AffineRows;
import roles::chunk_rows::load_chunk;
import roles::real::real;
import roles::slice::slice_of;
import roles::slice_scan::{value_before_chunk, whole_of};
import roles::solve_chunk::solve_chunk;

// What a thread holds of a slice in one pass: one chunk.
alias Held = AffineRows;
alias HeldSlice = Slice;

fn load_held(share: Share, t: u32) -> Held {
    return load_chunk(share.problem, share.chunk);
}

fn far_map_of_held(problem: u32, slice: u32, t: u32) -> Affine {
    return far_map_of(problem, slice * CHUNKS + t);
}

fn held_slice_of(share: Share, t: u32, held: Held) -> HeldSlice {
    return slice_of(t, share.problem, share.chunk, held);
}

fn is_settled(slice: HeldSlice, t: u32) -> bool {
    return false;
}

fn whole_of_held(slice: HeldSlice) -> Affine {
    return whole_of(slice);
}

fn solve_held(share: Share, t: u32, held: Held, slice: HeldSlice, before: real) {
    solve_chunk(share.problem, share.chunk, held, value_before_chunk(slice, before), share.owned);
}
