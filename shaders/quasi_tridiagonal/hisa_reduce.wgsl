// role: kernel
import package::shared::block::Block;
import package::shared::place::share_of;
import super::gate::wanted;
import roles::leaf::reduce_leaf;
import roles::leaf_tree::ascend_leaf;
import roles::tree::holds_root;

// The first pass of an iteration T x_next = f - S x: the right-hand side, and the block of each slice of T. With three entries beside the
// tridiagonal 84 bytes per row in f64, 48 in f32.
@group(0) @binding(8) var<storage, read_write> blocks: array<Block>;

fn run(w: u32, t: u32) {
    if (!wanted()) {
        return;
    }
    let share = share_of(w, t);
    let leaf = reduce_leaf(share.problem, share.chunk);
    let root = ascend_leaf(t, leaf);
    if (holds_root(t)) {
        blocks[share.slice] = root;
    }
}
