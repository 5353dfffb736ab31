// All reads of a slice come before its writes, so x may lie over rhs.
fn put_leaf(leaf: Leaf, problem: u32, at: u32, values: array<real, ROWS>, owned: bool) {
    let start = at * ROWS;
    var sound = leaf.sound;
    for (var i = 0u; i < ROWS; i++) { // unroll
        sound = sound && is_finite(values[i]);
    }
    if (owned && start < params.n && !sound) {
        report_chunk(problem, start);
    }
    store_rows(problem, start, values, owned);
}
