// CR, PCR and CR-PCR of a system that fits a workgroup's memory. `steps` of cyclic
// reduction leave every 2^steps-th row; the parallel part solves those; substitution goes
// the steps back. All steps is CR, none is PCR.
override WORKGROUP: u32 = 256u;
override ROWS_HELD: u32 = 1024u;

// p, q, r, complement; r becomes x once a row is solved.
var<workgroup> held: array<real4, ROWS_HELD>;

fn held_or_end(row: u32) -> real4 {
    if (row < params.n) {
        return held[row];
    }
    return real4(0.0, 0.0, 0.0, 1.0);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let problem = workgroup_index(id, grid);
    if (problem >= params.problems) {
        return;
    }
    let n = params.n;
    for (var i = t; i < n; i += WORKGROUP) {
        held[i] = source(problem, i);
    }
    // Rows 2u-1, 4u-1, ... take in their neighbours u away, which this step does not touch.
    for (var step = 0u; step < params.steps; step++) {
        workgroupBarrier();
        let u = 1u << step;
        for (var i = (t + 1u) * 2u * u - 1u; i < n; i += WORKGROUP * 2u * u) {
            held[i] = combine(held[i - u], held[i], held_or_end(i + u));
        }
    }
    workgroupBarrier();
    solve_every(t, 1u << params.steps);
    for (var step = params.steps; step > 0u; step--) {
        workgroupBarrier();
        let u = 1u << (step - 1u);
        for (var i = t * 2u * u + u - 1u; i < n; i += WORKGROUP * 2u * u) {
            var prev = real(0.0);
            var next = real(0.0);
            if (i >= u) {
                prev = held[i - u].z;
            }
            if (i + u < n) {
                next = held[i + u].z;
            }
            held[i].z = value(held[i], prev, next);
        }
    }
    workgroupBarrier();
    for (var i = t; i < n; i += WORKGROUP) {
        sink(problem, i, held[i].z);
    }
}
