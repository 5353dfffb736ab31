import package::shared::block::{NONE_BEFORE, NONE_BEHIND, combine};
import package::shared::place::{CHUNKS, PROBLEMS, SYSTEMS_FIRST, thread_at};
import package::shared::workgroup::WORKGROUP;
import roles::tpr_threads::held;

// One step of both sub-systems over the threads' rows in `held`: every 2u-th row takes in its
// neighbours u away, which this step does not touch. Rows that take part have neighbouring threads.
fn reduce_step(t: u32, u: u32) {
    let rows = CHUNKS / (2u * u);
    let towards_last = t >= rows * PROBLEMS;
    let task = select(t, t - rows * PROBLEMS, towards_last);
    if (task >= rows * PROBLEMS) {
        return;
    }
    var row = task % rows;
    var local_problem = task / rows;
    var apart = u;
    if (SYSTEMS_FIRST) {
        row = task / PROBLEMS;
        local_problem = task % PROBLEMS;
        apart = u * PROBLEMS;
    }
    let chunk = select(2u * u * row, 2u * u * (row + 1u) - 1u, towards_last);
    let at = thread_at(chunk, local_problem) + select(0u, WORKGROUP, towards_last);
    var lo = NONE_BEFORE;
    var hi = NONE_BEHIND;
    if (chunk >= u) {
        lo = held[at - apart];
    }
    if (chunk + u < CHUNKS) {
        hi = held[at + apart];
    }
    held[at] = combine(lo, held[at], hi);
}
