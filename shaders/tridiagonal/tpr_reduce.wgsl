// Stage 1 of tree partitioning reduction: a workgroup reduces a slice of each of its problems and
// keeps the odd rows and the slice's two ends. Reads 16 bytes a row (f32), writes 6, and 32 a slice.
@group(0) @binding(7) var<storage, read_write> kept: array<real>;
@group(0) @binding(8) var<storage, read_write> ends: array<Block>;

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
    let owned = base + here.lane < params.problems;
    var reduced = reduce_rows(t, own_rows(problem, (slice * CHUNKS + here.chunk) * ROWS));
    let slice_ends = reduce_threads(t, Block(reduced.first[0], reduced.last[HALF - 1u]));
    reduced.last[HALF - 1u] = slice_ends.last;
    for (var i = 0u; i < HALF; i++) { // unroll
        kept[kept_at(w, t, 3u * i)] = reduced.last[i].x;
        kept[kept_at(w, t, 3u * i + 1u)] = reduced.last[i].y;
        kept[kept_at(w, t, 3u * i + 2u)] = reduced.last[i].z;
    }
    let at = scratch_index(problem, slice, params.slices);
    if (owned && here.chunk == 0u) {
        ends[at].first = slice_ends.first;
    }
    if (owned && here.chunk + 1u == CHUNKS) {
        ends[at].last = slice_ends.last;
    }
}
