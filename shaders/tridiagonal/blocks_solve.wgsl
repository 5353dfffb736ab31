// One level down: a workgroup merges the blocks of the level below again, learns its own
// neighbours, and writes each block's.
@group(0) @binding(2) var<storage, read> neighbours: array<vec2<real>>;
@group(0) @binding(3) var<storage, read_write> neighbours_below: array<vec2<real>>;

// The unknowns beside a slice; none beside a whole system.
fn outer_neighbours(problem: u32, slice: u32) -> vec2<real> {
    if (has_neighbours() && problem < params.problems) {
        return neighbours[problem * params.slices + slice];
    }
    return vec2<real>(0.0, 0.0);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let w = workgroup_index(id, grid);
    if (w >= params.workgroups) {
        return;
    }
    let slice = w % params.slices;
    let base = (w / params.slices) * LANES;
    let here = place(t);
    let problem = min(base + here.lane, params.problems - 1u);
    let start = (slice * CHUNKS + here.chunk) * BLOCKS;
    let family = reduce_family(problem, start);
    ascend(t, family.block);
    let outer = descend(t, base, slice);
    if (base + here.lane < params.problems) {
        let prev = outer.x;
        var next = outer.y;
        for (var i = BLOCKS; i > 0u; i--) { // unroll
            if (start + i - 1u < params.children) {
                let last = value(family.last[i - 1u], prev, next);
                let first = value(family.first[i - 1u], prev, next);
                neighbours_below[problem * params.children + start + i - 1u] = vec2<real>(last, next);
                next = first;
            }
        }
    }
}
