// A workgroup takes a slice of each of its problems, reduces it, learns the unknowns
// beside it (none, where the slice is the system) and writes its rows' unknowns: reads 16
// bytes a row, writes 4 (f32). All reads of a slice come before its writes, so x may lie
// over rhs.
@group(0) @binding(7) var<storage, read> neighbours: array<vec2<real>>;

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
    var w = workgroup_index(id, grid);
    if (w >= params.workgroups) {
        return;
    }
    if (has_neighbours()) {
        // Backwards: what the first pass read last may still be in the cache.
        w = params.workgroups - 1u - w;
    }
    let slice = w % params.slices;
    let base = (w / params.slices) * LANES;
    let here = place(t);
    let problem = min(base + here.lane, params.problems - 1u);
    let start = (slice * CHUNKS + here.chunk) * ROWS;
    let chunk = reduce_chunk(problem, start);
    ascend(t, chunk.block);
    let outer = descend(t, base, slice);
    let prev = outer.x;
    var next = outer.y;
    var values: array<real, ROWS>;
    for (var i = ROWS; i > 0u; i--) { // unroll
        next = chunk.p[i - 1u] * prev + chunk.q[i - 1u] * next + chunk.r[i - 1u];
        values[i - 1u] = next;
    }
    if (base + here.lane < params.problems && start < params.n) {
        // Whatever is not finite makes the unknowns above it so.
        if (!chunk.sound || !is_finite(next)) {
            report_chunk(problem, start);
        }
        store_rows(problem, start, values);
    }
}
