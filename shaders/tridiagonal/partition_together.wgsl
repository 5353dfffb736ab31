// A system of several slices in one dispatch: a workgroup takes a slice of each of its problems,
// reduces it, tells its block to the others and learns theirs, and solves its rows, which stayed in
// registers: 16 bytes a row read and 4 written (f32).
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
    let at = slice * CHUNKS + here.chunk;
    let leaf = reduce_leaf(problem, at);
    let own = ascend(t, leaf.block);
    // The tree serves others' blocks meanwhile, so it is climbed once more.
    let outer = outer_together(t, base, slice, own);
    ascend(t, leaf.block);
    let beside_leaf = descend(t, outer);
    solve_leaf(leaf, problem, at, beside_leaf, base + here.lane < params.problems);
}
