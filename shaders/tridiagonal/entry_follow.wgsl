// Mostly there is nothing to do, and few workgroups find that out sooner than many: each takes several shares of the
// work, one after the other.
@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    for (var w = workgroup_index(id, grid); w < params.workgroups; w += grid.x * grid.y) {
        if (concerned(w, t)) {
            run(w, t);
        }
        // Before the memory serves again.
        workgroupBarrier();
    }
}
