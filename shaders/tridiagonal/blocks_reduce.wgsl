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
    let base = (w / params.slices) * params.lanes;
    let here = place(t, params.chunks);
    if (here.inside) {
        let problem = min(base + here.lane, params.problems - 1u);
        let family = reduce_family(problem, (slice * params.chunks + here.chunk) * BLOCKS);
        let at = slot(here.chunk, here.lane, params.chunks);
        node_first[at] = family.block.first;
        node_last[at] = family.block.last;
    }
    let levels = tree_up(t);
    if (t < params.lanes && base + t < params.problems) {
        let at = levels.start[levels.top] + t;
        blocks[(base + t) * params.slices + slice] = Block(node_first[at], node_last[at]);
    }
}
