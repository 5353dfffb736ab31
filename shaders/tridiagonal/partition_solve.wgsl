// A workgroup takes a slice of each of its problems, reduces it, learns the unknowns beside it
// (none, where the slice is the system) and solves its leaves: rows, at 16 bytes a row read and 4
// written (f32), or blocks of the level below.
fn run(index: u32, t: u32) {
    var w = index;
    if (has_neighbours()) {
        // Backwards: what the first pass read last may still be in the cache.
        w = params.workgroups - 1u - index;
    }
    let share = share_of(w, t);
    let outer = outer_neighbours(t, share.base, share.slice);
    let leaf = reduce_leaf(share.problem, share.chunk);
    ascend_leaf(t, leaf);
    let beside_leaf = descend_leaf(t, outer);
    let owned = share.owned && concerns(t, share, doubtful(leaf));
    solve_leaf(leaf, share.problem, share.chunk, beside_leaf, owned);
}
