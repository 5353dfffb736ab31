import package::shared::block::eliminate;
import package::shared::grid::workgroup_index;
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import super::rows::equation_at;
import super::thomas::{state_at, state_before, states};
import roles::load::load_rows;

// Down: the states behind the blocks.
@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let problem = workgroup_index(id, grid) * WORKGROUP + t;
    if (problem >= params.problems) {
        return;
    }
    var above = state_before(params.steps, problem);
    for (var block = params.steps; block < params.rows_out; block++) {
        let start = block * ROWS;
        var rows = load_rows(problem, start);
        for (var i = 0u; i < ROWS; i++) { // unroll
            above = eliminate(above, equation_at(&rows, i));
        }
        states[state_at(block, 0u, problem)] = above.y;
        states[state_at(block, 1u, problem)] = above.z;
        states[state_at(block, 2u, problem)] = above.w;
    }
}
