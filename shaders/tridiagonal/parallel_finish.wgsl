import package::shared::grid::workgroup_index;
import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::parallel_row::parallel_row;
import super::scratch::task;
import roles::sink::sink;

// The last step of parallel cyclic reduction: rows that no longer couple are solved.
@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let here = task(workgroup_index(id, grid), t, params.n);
    if (here.inside) {
        sink(here.problem, here.row, parallel_row(here.problem, here.row).z);
    }
}
