// First pass of Wang and Mou's method in slices: every row in terms of the unknowns beside its slice,
// and the slice's block. Reads 16 bytes a row (f32), writes 12, and 32 a slice.
@group(0) @binding(6) var<storage, read_write> blocks: array<Block>;
@group(0) @binding(8) var<storage, read_write> kept: array<real>;

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
    var triads = triads_of(own_rows(problem, (slice * CHUNKS + here.chunk) * ROWS));
    double_all(t, &triads);
    for (var i = 0u; i < ROWS; i++) { // unroll
        let own = triads.own[i];
        kept[kept_at(w, t, 3u * i)] = own.x;
        kept[kept_at(w, t, 3u * i + 1u)] = own.y;
        // The complement is not kept: what it knows of inputs that are not finite goes with r.
        kept[kept_at(w, t, 3u * i + 2u)] = select(own.w, own.z, is_finite(own.w));
    }
    if (here.chunk == 0u && base + here.lane < params.problems) {
        blocks[problem * params.slices + slice] = triads.block;
    }
}
