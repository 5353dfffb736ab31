// Second pass of Wang and Mou's method in slices: the unknowns, from those beside the slice. Reads 12
// bytes a row (f32), writes 4.
@group(0) @binding(8) var<storage, read> kept: array<real>;

var<workgroup> beside_slices: array<vec2<real>, LANES>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    var w = workgroup_index(id, grid);
    if (w >= params.workgroups) {
        return;
    }
    // Backwards: what the first pass wrote last may still be in the cache.
    w = params.workgroups - 1u - w;
    let slice = w % params.slices;
    let base = (w / params.slices) * LANES;
    let here = place(t);
    let beside_root = outer_neighbours(t, base, slice);
    if (holds_root(t)) {
        beside_slices[root_lane(t)] = beside_root;
    }
    workgroupBarrier();
    var own: array<real4, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        own[i] = real4(kept[kept_at(w, t, 3u * i)], kept[kept_at(w, t, 3u * i + 1u)], kept[kept_at(w, t, 3u * i + 2u)], 0.0);
    }
    let problem = min(base + here.lane, params.problems - 1u);
    let start = (slice * CHUNKS + here.chunk) * ROWS;
    put_unknowns(problem, start, own, beside_slices[here.lane], base + here.lane < params.problems);
}
