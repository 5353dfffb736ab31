import package::shared::grid::workgroup_index;
import package::shared::problem::{in_order, params};
import package::shared::workgroup::WORKGROUP;
import roles::follow::concerned;
import roles::kernel::run;

// As shared/entry.wgsl, for what concerns a kernel.
@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let w = workgroup_index(id, grid);
    if (w >= params.workgroups || !concerned(in_order(w), t)) {
        return;
    }
    run(w, t);
}
