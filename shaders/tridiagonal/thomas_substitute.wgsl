import package::shared::block::eliminate;
import package::shared::grid::workgroup_index;
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import super::rows::equation_at;
import super::thomas::{state_at, state_before, states};
import roles::load::load_rows;
import roles::real::{is_finite, real};
import roles::report::report_chunk;
import roles::store::store_rows;

// Up: the unknowns, last block first. A block's rhs is read before its x is written.
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
    var next = real(0.0);
    if (params.rows_out * ROWS < params.n) {
        next = states[state_at(params.rows_out - 1u, 1u, problem)];
    }
    for (var block = params.rows_out; block > params.steps; block--) {
        let start = (block - 1u) * ROWS;
        var above = state_before(block - 1u, problem);
        var rows = load_rows(problem, start);
        var q: array<real, ROWS>;
        var values: array<real, ROWS>;
        for (var i = 0u; i < ROWS; i++) { // unroll
            above = eliminate(above, equation_at(&rows, i));
            q[i] = above.y;
            values[i] = above.z;
        }
        for (var i = ROWS; i > 0u; i--) { // unroll
            next = q[i - 1u] * next + values[i - 1u];
            values[i - 1u] = next;
        }
        // Whatever is not finite stays in the complement, or in the unknowns above it.
        if (!is_finite(above.w) || !is_finite(next)) {
            report_chunk(problem, start);
        }
        store_rows(problem, start, values, true);
    }
    if (params.steps > 0u) {
        states[state_at(params.steps - 1u, 1u, problem)] = next;
    }
}
