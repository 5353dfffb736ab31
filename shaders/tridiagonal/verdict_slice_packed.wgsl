// role: slice_verdict
import package::shared::head::head_at_or_behind;
import package::shared::place::{CHUNKS, place};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::halo::HALO;
import super::verdicts::{COUPLED, give_verdict, verdict_at, verdicts};
import roles::leaf::Leaf;
import roles::real::{is_finite, real};

// What slices find of packed problems. A slice in doubt writes nothing. If all rows that it has read are of one problem, the doubts are that
// problem's. Otherwise all problems of the slice count as coupled: the dispatches for those judge each by itself.
const PACKED_SLICES: bool = true;

override INNER_ROWS: u32 = (CHUNKS - 2u * HALO) * ROWS;
override HALO_ROWS: u32 = HALO * ROWS;

// Whether rows first..end are of one problem.
fn is_of_one(first: u32, end: u32) -> bool {
    return first / params.packed_rows == (min(end, params.n) - 1u) / params.packed_rows;
}

fn verdict_before_slice(packed: u32, slice: u32) -> u32 {
    let first = slice * INNER_ROWS;
    if (is_of_one(first, first + INNER_ROWS)) {
        return atomicLoad(&verdicts[verdict_at(first / params.packed_rows)]);
    }
    return 0u;
}

// Whether the unknowns of a thread's rows are finite. The coefficients between two problems are 0, but 0 times what is not finite is NaN: it
// would pass on to the neighbours.
fn stays_finite(leaf: Leaf, beside: vec2<real>) -> bool {
    var next = beside.y;
    for (var i = ROWS; i > 0u; i--) { // unroll
        next = leaf.p[i - 1u] * beside.x + leaf.q[i - 1u] * next + leaf.r[i - 1u];
    }
    return is_finite(next);
}

// By all threads, each for the problems that begin in its chunk; `doubts`: those of the whole slice.
fn give_slice_verdict(t: u32, packed: u32, slice: u32, doubts: u32) {
    let chunk = place(t).chunk;
    if (doubts == 0u || chunk < HALO || chunk >= CHUNKS - HALO) {
        return;
    }
    let first = slice * INNER_ROWS;
    let start = first + (chunk - HALO) * ROWS;
    let end = min(start + ROWS, params.n);
    let alone = is_of_one(max(first, HALO_ROWS) - HALO_ROWS, first + INNER_ROWS + HALO_ROWS);
    let verdict = select(COUPLED, doubts, alone);
    if (chunk == HALO && start < end) {
        give_verdict(start / params.packed_rows, verdict);
    }
    let head = head_at_or_behind(start);
    var problem = head.problem;
    for (var row = start + head.rows; row < end; row += params.packed_rows) {
        give_verdict(problem, verdict);
        problem++;
    }
}
