// role: pivoting_leaf
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::pivoting::NO_ROW;
import roles::real::real4;
import roles::ring::{ring_row, ring_row_at};

// A thread's rows of a coarse system.
@group(0) @binding(8) var<storage, read> coarse: array<real4>;

struct PivotingLeaf {
    rows: array<real4, ROWS>,
    sound: bool,
}

fn load_leaf(problem: u32, at: u32) -> PivotingLeaf {
    var leaf: PivotingLeaf;
    // Whoever has the rows below sees what is wrong.
    leaf.sound = true;
    for (var i = 0u; i < ROWS; i++) { // unroll
        leaf.rows[i] = leaf_row(problem, at * ROWS + i);
    }
    return leaf;
}

fn leaf_row(problem: u32, place: u32) -> real4 {
    let row = ring_row_at(place);
    let it = select(NO_ROW, coarse[problem * params.n + min(row, params.n - 1u)], row < params.n);
    return ring_row(row, it);
}
