// A workgroup takes a slice of each of its problems, eliminates it as before, learns the unknowns at its ends and beside
// it (or solves the two rows that are left, where the slice is the system) and substitutes: at 16 bytes a row read and 4
// written (f32).
@group(0) @binding(7) var<storage, read> slice_x: array<real>;

// The unknowns before a problem's slice, its first and last, and that behind it.
fn known_of(problem: u32, slice: u32) -> real4 {
    let start = 2u * problem * params.slices;
    let at = start + 2u * slice;
    var known = real4(0.0, slice_x[at], slice_x[at + 1u], 0.0);
    if (slice > 0u) {
        known.x = slice_x[at - 1u];
    } else if (CLOSED) {
        known.x = slice_x[start + 2u * params.slices - 1u];
    }
    if (slice + 1u < params.slices) {
        known.w = slice_x[at + 2u];
    } else if (CLOSED) {
        known.w = slice_x[start];
    }
    return known;
}

fn run(index: u32, t: u32) {
    let share = share_of(in_order(index), t);
    let leaf = load_leaf(share.problem, share.chunk);
    own_base = share.base;
    let ends = ends_of(leaf.rows);
    let own = seat(t, share.slice);
    let part = rise(t, own, settled_leaf(t, share.problem, share.chunk, ends.pair));
    if (t < LANES) {
        let first = node(top, 2u, 0u, t);
        let last = node(top, 2u, 1u, t);
        var pair = Pair(nodes[first], nodes[last]);
        var known = real4(0.0);
        if (has_neighbours()) {
            known = known_of(min(share.base + t, params.problems - 1u), share.slice);
        } else {
            pair = whole(pair);
            known = around(solved_pair(pair.first, pair.last));
        }
        look_at_top(t, pair);
        nodes[first].x = known.y;
        nodes[last].x = known.z;
        nodes[beside_slice(t)] = real4(known.x, known.w, 0.0, 0.0);
    }
    let known = fall(t, own, part);
    var inner: array<real, INNER>;
    if (ends.weakest_pivot < select(WEAK, WEAK / 4.0, ROWS <= 8u)) {
        // Seldom (of random rows with WEAK itself one partition in 20, with half of it one in 200): read them once more.
        let solved = solved_inner(load_leaf(share.problem, share.chunk).rows, known);
        inner = solved.inner;
        if (solved.doubtful | (ends.weakest_pivot < 0.0)) {
            note_singular(place(t).lane);
        }
    } else {
        inner = inner_unknowns(ends, known);
    }
    var values: array<real, ROWS>;
    values[0] = known.y;
    for (var i = 0u; i < INNER; i++) { // unroll
        values[i + 1u] = inner[i];
    }
    values[ROWS - 1u] = known.z;
    values = with_last_in_place(share.chunk, values);
    put_leaf(leaf.sound, share.problem, share.chunk, values, share.owned && concerns(t, share, false));
}
