// role: leaf_solve
import package::shared::block::value;
import package::shared::problem::params;
import super::sizes::BLOCKS;
import roles::leaf::Leaf;
import roles::real::real;

// The unknowns beside each block of the level below.
@group(0) @binding(6) var<storage, read_write> neighbours_below: array<vec2<real>>;

fn solve_leaf(leaf: Leaf, problem: u32, at: u32, outer: vec2<real>, owned: bool) {
    if (!owned) {
        return;
    }
    var next = outer.y;
    for (var i = BLOCKS; i > 0u; i--) { // unroll
        let child = at * BLOCKS + i - 1u;
        if (child < params.children) {
            let last = value(leaf.last[i - 1u], outer.x, next);
            let first = value(leaf.first[i - 1u], outer.x, next);
            neighbours_below[problem * params.children + child] = vec2<real>(last, next);
            next = first;
        }
    }
}
