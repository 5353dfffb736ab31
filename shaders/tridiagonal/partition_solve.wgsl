// A workgroup takes a slice of each of its problems, reduces it, learns the unknowns beside it
// (none, where the slice is the system) and solves its leaves: rows, at 16 bytes a row read and 4
// written (f32), or blocks of the level below.
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
    let at = slice * CHUNKS + here.chunk;
    let outer = outer_neighbours(t, base, slice);
    let leaf = reduce_leaf(problem, at);
    ascend(t, leaf.block);
    let beside_leaf = descend(t, outer);
    solve_leaf(leaf, problem, at, beside_leaf, base + here.lane < params.problems);
}
