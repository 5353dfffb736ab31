import super::grid::workgroup_index;
import super::workgroup::WORKGROUP;
import roles::kernel::run;
import roles::problem::params;

// A workgroup for each share of the work; a grid may have a few more.
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
    run(w, t);
}
