import package::shared::block::value;
import package::shared::grid::workgroup_index;
import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::scratch::{scratch_index, task};
import roles::real::real;
import roles::sink::sink;
import roles::source::source;

// One step back: the next level's unknowns are this level's odd ones, and give the even
// ones between them.
@group(0) @binding(7) var<storage, read> x_next: array<real>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let here = task(workgroup_index(id, grid), t, params.n - params.rows_out);
    if (here.inside) {
        let i = 2u * here.row;
        var prev = real(0.0);
        var next = real(0.0);
        if (here.row > 0u) {
            prev = x_next[scratch_index(here.problem, here.row - 1u, params.rows_out)];
        }
        let mine = source(here.problem, i);
        if (here.row < params.rows_out) {
            next = x_next[scratch_index(here.problem, here.row, params.rows_out)];
            sink(here.problem, i + 1u, next);
        }
        sink(here.problem, i, value(mine, prev, next));
    }
}
