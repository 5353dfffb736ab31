// role: follow
import package::shared::place::{PROBLEMS, share_of};
import package::shared::problem::params;
import super::verdicts::{verdict_at, verdicts};

// What verdicts.wgsl says of each problem, for a kernel that reads all rows of those given to it, and then judges them as
// verdict_judge.wgsl does: whoever gave them stops at a slice in doubt, and may not have read what lies behind.
override ACCEPTED: u32 = 0u;

var<workgroup> some_accepted: u32;

// Whether any of a workgroup's problems concerns it.
fn concerned(w: u32, t: u32) -> bool {
    if (t == 0u) {
        let base = share_of(w, 0u).base;
        some_accepted = 0u;
        for (var local_problem = 0u; local_problem < min(PROBLEMS, params.problems - base); local_problem++) {
            some_accepted |= (ACCEPTED >> atomicLoad(&verdicts[verdict_at(base + local_problem)])) & 1u;
        }
    }
    // The verdict may change meanwhile.
    return workgroupUniformLoad(&some_accepted) != 0u;
}
