// Tree partitioning reduction of systems that are one slice each: reads 16 bytes a row, writes 4 (f32).
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
    let here = place(t);
    let problem = min(w * LANES + here.lane, params.problems - 1u);
    let start = here.chunk * ROWS;
    let own = own_rows(problem, start);
    var reduced = reduce_rows(t, own);
    reduced.last[HALF - 1u] = reduce_threads(t, Block(reduced.first[0], reduced.last[HALF - 1u])).last;
    // Nothing lies beside a system: its last unknown is its reduced row's right-hand side.
    let outer = vec2<real>(0.0, reduced.last[HALF - 1u].z);
    let ends = substitute_threads(t, reduced.last[HALF - 1u], outer);
    let x = unknowns(own, reduced.last, ends.x, ends.y);
    put_rows(problem, start, own, x, w * LANES + here.lane < params.problems);
}
