import package::shared::grid::workgroup_index;
import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::parallel_row::parallel_row;
import super::scratch::{scratch_index, task};
import roles::real::real4;

// One step of parallel cyclic reduction through device memory: every row takes in its
// neighbours `steps` away.
@group(0) @binding(7) var<storage, read_write> rows_next: array<real4>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let here = task(workgroup_index(id, grid), t, params.n);
    if (here.inside) {
        rows_next[scratch_index(here.problem, here.row, params.n)] = parallel_row(here.problem, here.row);
    }
}
