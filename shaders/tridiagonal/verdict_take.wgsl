// role: follow, verdict
import package::shared::place::{PROBLEMS, Share, share_of};
import package::shared::problem::params;

// As verdict_follow.wgsl where a problem is one workgroup's only: that takes its verdict away, so that there is none for the
// next solve. No indirect dispatch stands before them.
@group(0) @binding(9) var<storage, read_write> verdicts: array<atomic<u32>>;
override ACCEPTED: u32 = 0u;

var<workgroup> taken: array<u32, PROBLEMS>;
var<workgroup> some_accepted: u32;

fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    return ((ACCEPTED >> taken[share.problem - share.base]) & 1u) != 0u;
}

fn concerned(w: u32, t: u32) -> bool {
    let base = share_of(w, 0u).base;
    if (t < PROBLEMS) {
        taken[t] = 0u;
        if (base + t < params.problems) {
            taken[t] = atomicExchange(&verdicts[2u + base + t], 0u);
        }
    }
    workgroupBarrier();
    if (t == 0u) {
        some_accepted = 0u;
        for (var local_problem = 0u; local_problem < PROBLEMS; local_problem++) {
            some_accepted |= (ACCEPTED >> taken[local_problem]) & 1u;
        }
    }
    return workgroupUniformLoad(&some_accepted) != 0u;
}
