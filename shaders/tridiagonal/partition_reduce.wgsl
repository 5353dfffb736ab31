// A workgroup takes a slice of each of its problems and writes the slice's block: of rows, reads
// 16 bytes a row (f32), writes 32 a slice.
@group(0) @binding(6) var<storage, read_write> blocks: array<Block>;

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
    let leaf = reduce_leaf(problem, slice * CHUNKS + here.chunk);
    let root = ascend(t, leaf.block);
    if (holds_root(t) && base + root_lane(t) < params.problems) {
        blocks[(base + root_lane(t)) * params.slices + slice] = root;
    }
}
