// role: neighbours
import package::shared::block::{Block, empty_block};
import package::shared::place::place;
import package::shared::problem::params;
import super::family::{Family, append};
import super::neighbours_merge::beside_slice;
import super::sizes::BLOCKS;
import roles::real::real;

// The slices' blocks as the first pass left them.
@group(0) @binding(7) var<storage, read> slices: array<Block>;

fn outer_neighbours(t: u32, base: u32, slice: u32) -> vec2<real> {
    let here = place(t);
    let first_slice = min(base + here.local_problem, params.problems - 1u) * params.slices;
    var family: Family;
    family.block = empty_block();
    for (var i = 0u; i < BLOCKS; i++) { // unroll
        let child = here.chunk * BLOCKS + i;
        if (child < params.slices) {
            append(&family, i, slices[first_slice + child]);
        }
    }
    return beside_slice(t, slice, family);
}
