// A thread's rows, from the caller's vectors.
struct Leaf {
    rows: array<real4, ROWS>,
    // Neither NaN nor infinity among them.
    sound: bool,
}

fn load_leaf(problem: u32, at: u32) -> Leaf {
    var leaf: Leaf;
    leaf.sound = true;
    for (var part = 0u; part < PARTS; part++) { // unroll
        let rows = load_rows(problem, at * ROWS + part * LOADED);
        for (var i = 0u; i < LOADED; i++) { // unroll
            let row = real4(rows.a[i], rows.b[i], rows.c[i], rows.d[i]);
            leaf.sound = leaf.sound && all_finite(row);
            leaf.rows[part * LOADED + i] = scaled(row);
        }
    }
    return leaf;
}
