// role: leaf
import package::shared::block::{Block, empty_block};
import package::shared::problem::params;
import super::family::{Family, append};
import super::sizes::BLOCKS;

// The blocks of the level below, a family a thread.
@group(0) @binding(8) var<storage, read> below: array<Block>;

alias Leaf = Family;

fn doubtful(leaf: Leaf) -> bool {
    return false;
}

// Family `at` of a problem.
fn reduce_leaf(problem: u32, at: u32) -> Leaf {
    var family: Family;
    family.block = empty_block();
    for (var i = 0u; i < BLOCKS; i++) { // unroll
        let child = at * BLOCKS + i;
        if (child < params.children) {
            append(&family, i, below[problem * params.children + child]);
        }
    }
    return family;
}
