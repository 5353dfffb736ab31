// Stage 3 of tree partitioning reduction: a workgroup solves a slice of each of its problems, whose
// last unknown, and that of the slice before, the overall system gave. Reads 16 bytes a row for the
// even rows (f32) and 6 for the odd ones, writes 4.
@group(0) @binding(7) var<storage, read> kept: array<real>;
@group(0) @binding(8) var<storage, read> x_ends: array<real>;

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
    // Backwards: what the first stage read last may still be in the cache.
    w = params.workgroups - 1u - w;
    let slice = w % params.slices;
    let base = (w / params.slices) * LANES;
    let here = place(t);
    let problem = min(base + here.lane, params.problems - 1u);
    let start = (slice * CHUNKS + here.chunk) * ROWS;
    let own = own_rows(problem, start);
    var last: array<real4, HALF>;
    for (var i = 0u; i < HALF; i++) { // unroll
        last[i] = real4(kept[kept_at(w, t, 3u * i)], kept[kept_at(w, t, 3u * i + 1u)], kept[kept_at(w, t, 3u * i + 2u)], 0.0);
    }
    var outer = vec2<real>(0.0, x_ends[scratch_index(problem, slice, params.slices)]);
    if (slice > 0u) {
        outer.x = x_ends[scratch_index(problem, slice - 1u, params.slices)];
    }
    let ends = substitute_threads(t, last[HALF - 1u], outer);
    let x = unknowns(own, last, ends.x, ends.y);
    put_rows(problem, start, own, x, base + here.lane < params.problems);
}
