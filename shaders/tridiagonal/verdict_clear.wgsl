import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::verdicts::{FOLLOWERS, verdict_at, verdicts};
import roles::chain::clear_chain;

// Behind the last dispatch that follows the verdicts: none, and no work, until the next solve.

var<workgroup> given: u32;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    if (t == 0u) {
        given = atomicLoad(&verdicts[5u * FOLLOWERS]);
    }
    // Mostly there are none.
    if (workgroupUniformLoad(&given) == 0u) {
        return;
    }
    // No chain has more.
    let most = max(FOLLOWERS, 64u);
    for (var i = id.x; i < max(params.problems, most); i += grid.x * WORKGROUP) {
        clear_chain(i);
        if (i < FOLLOWERS) {
            atomicStore(&verdicts[4u * i], 0u);
        }
        if (i < params.problems) {
            atomicStore(&verdicts[verdict_at(i)], 0u);
        }
    }
    // All workgroups have read this word: the last one clears it.
    let cleared = 5u * FOLLOWERS + 1u;
    if (t == 0u && atomicAdd(&verdicts[cleared], 1u) + 1u == grid.x) {
        atomicStore(&verdicts[cleared], 0u);
        atomicStore(&verdicts[5u * FOLLOWERS], 0u);
    }
}
