import package::shared::block::value;
import package::shared::place::{PROBLEMS, place};
import package::shared::problem::params;
import super::family::Family;
import super::sizes::BLOCKS;
import roles::real::real;
import roles::tree::{ascend, descend, root_problem};

// The unknowns beside a slice, by merging the blocks of all its problem's slices, which every
// workgroup does for itself: while they are few that is quicker than a dispatch between.
var<workgroup> beside: array<vec2<real>, PROBLEMS>;

// The slices' blocks that a thread merges: the family of its chunk.
fn beside_slice(t: u32, slice: u32, family: Family) -> vec2<real> {
    let here = place(t);
    ascend(t, family.block);
    let outer = descend(t, vec2<real>(0.0, 0.0));
    var next = outer.y;
    for (var i = BLOCKS; i > 0u; i--) { // unroll
        let child = here.chunk * BLOCKS + i - 1u;
        if (child < params.slices) {
            if (child == slice) {
                beside[here.local_problem] = vec2<real>(value(family.last[i - 1u], outer.x, next), next);
            }
            next = value(family.first[i - 1u], outer.x, next);
        }
    }
    // Also what lets the tree's memory serve again.
    workgroupBarrier();
    return beside[min(root_problem(t), PROBLEMS - 1u)];
}
