// The unknowns beside a slice, from the blocks of all its problem's slices, which every workgroup
// merges for itself: while they are few that is quicker than a dispatch between.
@group(0) @binding(7) var<storage, read> slices: array<Block>;

var<workgroup> beside: array<vec2<real>, LANES>;

fn outer_neighbours(t: u32, base: u32, slice: u32) -> vec2<real> {
    let here = place(t);
    let first_slice = min(base + here.lane, params.problems - 1u) * params.slices;
    var family: Family;
    family.block = empty_block();
    for (var i = 0u; i < BLOCKS; i++) { // unroll
        let child = here.chunk * BLOCKS + i;
        if (child < params.slices) {
            append(&family, i, slices[first_slice + child]);
        }
    }
    ascend(t, family.block);
    let outer = descend(t, vec2<real>(0.0, 0.0));
    var next = outer.y;
    for (var i = BLOCKS; i > 0u; i--) { // unroll
        let child = here.chunk * BLOCKS + i - 1u;
        if (child < params.slices) {
            if (child == slice) {
                beside[here.lane] = vec2<real>(value(family.last[i - 1u], outer.x, next), next);
            }
            next = value(family.first[i - 1u], outer.x, next);
        }
    }
    // Also what lets the tree's memory serve again.
    workgroupBarrier();
    return beside[min(root_lane(t), LANES - 1u)];
}
