// A workgroup takes a slice of each of its problems and writes the slice's block: reads
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
    let base = (w / params.slices) * params.lanes;
    let here = place(t, params.chunks);
    if (here.inside) {
        let problem = min(base + here.lane, params.problems - 1u);
        let chunk = reduce_chunk(problem, (slice * params.chunks + here.chunk) * ROWS, true);
        let at = slot(here.chunk, here.lane, params.chunks);
        node_first[at] = chunk.block.first;
        node_last[at] = chunk.block.last;
    }
    let levels = tree_up(t);
    if (t < params.lanes && base + t < params.problems) {
        let at = levels.start[levels.top] + t;
        blocks[(base + t) * params.slices + slice] = Block(node_first[at], node_last[at]);
    }
}
