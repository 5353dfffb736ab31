// Wang and Mou's method on chip: reads 16 bytes a row, writes 4 (f32).
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
    var triads = triads_of(own_rows(problem, start));
    double_all(t, &triads);
    put_unknowns(problem, start, triads.own, vec2<real>(0.0, 0.0), w * LANES + here.lane < params.problems);
}
