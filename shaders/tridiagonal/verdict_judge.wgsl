// role: verdict
import package::shared::place::{LANES, Share, place};
import package::shared::problem::params;
import super::verdicts::{NOT_DOMINANT, give_verdict};

// Leaves problems that are not dominant to others.
var<workgroup> doubts: array<atomic<u32>, LANES>;

fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    let lane = place(t).lane;
    if (t < LANES) {
        atomicStore(&doubts[t], 0u);
    }
    workgroupBarrier();
    if (doubtful) {
        atomicStore(&doubts[lane], 1u);
    }
    workgroupBarrier();
    if (t < LANES && share.base + t < params.problems && atomicLoad(&doubts[t]) != 0u) {
        give_verdict(share.base + t, NOT_DOMINANT);
    }
    return atomicLoad(&doubts[lane]) == 0u;
}
