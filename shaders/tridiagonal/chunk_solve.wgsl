// role: leaf_solve
import package::shared::sizes::ROWS;
import roles::leaf::Leaf;
import roles::problem::params;
import roles::real::{is_finite, real};
import roles::report::report_chunk;
import roles::store::store_rows;

// The unknowns of a thread's rows, from the two beside them. All reads of a slice come before
// its writes, so x may lie over rhs.
// A leaf that no problem owns, or that lies past the end, is not stored.
fn solve_leaf(leaf: Leaf, problem: u32, at: u32, outer: vec2<real>, owned: bool) {
    let start = at * ROWS;
    var next = outer.y;
    var values: array<real, ROWS>;
    for (var i = ROWS; i > 0u; i--) { // unroll
        next = leaf.p[i - 1u] * outer.x + leaf.q[i - 1u] * next + leaf.r[i - 1u];
        values[i - 1u] = next;
    }
    // Whatever is not finite makes the unknowns above it so.
    if (owned && start < params.n && (!leaf.sound || !is_finite(next))) {
        report_chunk(problem, start);
    }
    store_rows(problem, start, values, owned);
}
