// role: source
import package::shared::block::{Block, NONE_BEFORE, combine};
import package::shared::problem::params;
import super::scratch::scratch_index;
import roles::real::real4;

// The overall system of tree partitioning reduction: a slice's last row, with the first row of the
// slice below taken in. A row of this level is a slice of the level below.
@group(0) @binding(1) var<storage, read> slice_ends: array<Block>;

fn source(problem: u32, row: u32) -> real4 {
    if (row >= params.n) {
        return real4(0.0, 0.0, 0.0, 1.0);
    }
    let last = slice_ends[scratch_index(problem, row, params.n)].last;
    if (row + 1u >= params.n) {
        return last;
    }
    return combine(NONE_BEFORE, last, slice_ends[scratch_index(problem, row + 1u, params.n)].first);
}
