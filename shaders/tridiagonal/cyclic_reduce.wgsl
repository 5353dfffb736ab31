import package::shared::block::combine;
import package::shared::grid::workgroup_index;
import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::scratch::{scratch_index, task};
import roles::real::real4;
import roles::source::source;

// One step of cyclic reduction through device memory: row 2j+1 takes in rows 2j and 2j+2
// and becomes row j of the next level.
@group(0) @binding(7) var<storage, read_write> rows_next: array<real4>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let here = task(workgroup_index(id, grid), t, params.rows_out);
    if (here.inside) {
        let i = 2u * here.row + 1u;
        let lo = source(here.problem, i - 1u);
        let mid = source(here.problem, i);
        let hi = source(here.problem, i + 1u);
        rows_next[scratch_index(here.problem, here.row, params.rows_out)] = combine(lo, mid, hi);
    }
}
