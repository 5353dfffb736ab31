import package::shared::grid::workgroup_index;
import package::shared::problem::{params, right_place, x_base};
import package::shared::workgroup::WORKGROUP;
import super::structure::{gamma_at, left_coefficient, place_in, system_at};
import roles::real::real;

// How much of the correction a problem's solution lacks: of the unknowns y without the corners and the correction q, v y /
// (1 + v q). A thread a problem.
@group(0) @binding(6) var<storage, read> x: array<real>; // input
@group(0) @binding(7) var<storage, read> correction: array<real>;
@group(0) @binding(8) var<storage, read_write> shares: array<real>;

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
    let system = system_at(problem);
    let unknowns = x_base(problem);
    let last = params.n - 1u;
    let ratio = left_coefficient(system, 0u) / gamma_at(system);
    let lacking = x[right_place(unknowns, 0u)] + ratio * x[right_place(unknowns, last)];
    let own = correction[place_in(system, 0u)] + ratio * correction[place_in(system, last)];
    shares[problem] = lacking / (1.0 + own);
}
