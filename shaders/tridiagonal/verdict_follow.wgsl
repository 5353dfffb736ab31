// role: follow
import package::shared::place::{PROBLEMS, share_of};
import package::shared::problem::params;

// What verdicts.wgsl says of each problem.
@group(0) @binding(9) var<storage, read> verdicts: array<u32>;
override FOLLOWERS: u32 = 1u;
// A bit for each verdict that makes a problem concern this kernel.
override ACCEPTED: u32 = 0u;

fn accepted(problem: u32) -> u32 {
    return (ACCEPTED >> verdicts[5u * FOLLOWERS + 2u + problem]) & 1u;
}

// Whether any of a workgroup's problems concerns it.
fn concerned(w: u32, t: u32) -> bool {
    let base = share_of(w, 0u).base;
    var some = 0u;
    for (var local_problem = 0u; local_problem < min(PROBLEMS, params.problems - base); local_problem++) {
        some |= accepted(base + local_problem);
    }
    return some != 0u;
}
