// One level up: a workgroup merges the blocks of the level below into one a slice.
@group(0) @binding(2) var<storage, read_write> blocks: array<Block>;

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
    let family = reduce_family(problem, (slice * CHUNKS + here.chunk) * BLOCKS);
    let root = ascend(t, family.block);
    if (holds_root(t) && base + root_lane(t) < params.problems) {
        blocks[(base + root_lane(t)) * params.slices + slice] = root;
    }
}
