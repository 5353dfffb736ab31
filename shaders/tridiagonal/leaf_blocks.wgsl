// role: leaf_tree
import package::shared::block::Block;
import roles::leaf::Leaf;
import roles::real::real;
import roles::tree::{ascend, descend};

// Leaves that merge as blocks.
fn ascend_leaf(t: u32, leaf: Leaf) -> Block {
    return ascend(t, leaf.block);
}

fn descend_leaf(t: u32, outer: vec2<real>) -> vec2<real> {
    return descend(t, outer);
}
