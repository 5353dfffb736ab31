// role: kernel
import package::shared::block::Block;
import package::shared::place::share_of;
import package::shared::problem::params;
import roles::leaf::{doubtful, reduce_leaf};
import roles::leaf_tree::ascend_leaf;
import roles::tree::{holds_root, root_problem};
import roles::verdict::concerns;

// A workgroup takes a slice of each of its problems and writes the slice's block: of rows, reads
// 16 bytes per row (f32), writes 32 a slice.
@group(0) @binding(6) var<storage, read_write> blocks: array<Block>;

fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let leaf = reduce_leaf(share.problem, share.chunk);
    let root = ascend_leaf(t, leaf);
    concerns(t, share, doubtful(leaf));
    let problem = share.base + root_problem(t);
    if (holds_root(t) && problem < params.problems) {
        blocks[problem * params.slices + share.slice] = root;
    }
}
