// role: verdict
import package::shared::place::{PROBLEMS, Share, place};
import package::shared::problem::params;
import super::verdicts::{NOT_DOMINANT, give_verdict};

// Leaves problems that are not dominant to others.
var<workgroup> doubts: array<atomic<u32>, PROBLEMS>;

fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    let local_problem = place(t).local_problem;
    if (t < PROBLEMS) {
        atomicStore(&doubts[t], 0u);
    }
    workgroupBarrier();
    if (doubtful) {
        atomicStore(&doubts[local_problem], 1u);
    }
    workgroupBarrier();
    if (t < PROBLEMS && share.base + t < params.problems && atomicLoad(&doubts[t]) != 0u) {
        give_verdict(share.base + t, NOT_DOMINANT);
    }
    return atomicLoad(&doubts[local_problem]) == 0u;
}
