// A system of several slices in one dispatch: a workgroup takes a slice of each of its problems,
// reduces it, tells its block to the others and learns theirs, and solves its rows, which stayed in
// registers: 16 bytes a row read and 4 written (f32).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let leaf = reduce_leaf(share.problem, share.chunk);
    let own = ascend(t, leaf.block);
    // The tree serves others' blocks meanwhile, so it is climbed once more.
    let outer = outer_together(t, share, own);
    ascend(t, leaf.block);
    let beside_leaf = descend(t, outer);
    solve_leaf(leaf, share.problem, share.chunk, beside_leaf, share.owned);
}
