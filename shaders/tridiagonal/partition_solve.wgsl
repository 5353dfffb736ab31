// role: kernel
import package::shared::place::share_of;
import package::shared::problem::in_order;
import roles::leaf::{doubtful, reduce_leaf};
import roles::leaf_solve::solve_leaf;
import roles::leaf_tree::{ascend_leaf, descend_leaf};
import roles::neighbours::outer_neighbours;
import roles::verdict::concerns;

// A workgroup takes a slice of each of its problems, reduces it, learns the unknowns beside it
// (none, where the slice is the system) and solves its leaves: rows, at 16 bytes per row read and 4
// written (f32), or blocks of the level below.
fn run(index: u32, t: u32) {
    let share = share_of(in_order(index), t);
    let outer = outer_neighbours(t, share.base, share.slice);
    let leaf = reduce_leaf(share.problem, share.chunk);
    ascend_leaf(t, leaf);
    let beside_leaf = descend_leaf(t, outer);
    // All threads ask: there may be barriers in it.
    let own = concerns(t, share, doubtful(leaf));
    solve_leaf(leaf, share.problem, share.chunk, beside_leaf, share.owned && own);
}
