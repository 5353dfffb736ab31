import package::shared::block::{NONE_BEFORE, NONE_BEHIND, combine};
import package::shared::place::{CHUNKS, LANES, SYSTEMS_FIRST, thread_at};
import package::shared::workgroup::WORKGROUP;
import roles::tpr_threads::held;

// One step of both sub-systems over the threads' rows in `held`: every 2u-th row takes in its
// neighbours u away, which this step does not touch. Rows that take part have neighbouring threads.
fn reduce_step(t: u32, u: u32) {
    let rows = CHUNKS / (2u * u);
    let towards_last = t >= rows * LANES;
    let task = select(t, t - rows * LANES, towards_last);
    if (task >= rows * LANES) {
        return;
    }
    var row = task % rows;
    var lane = task / rows;
    var apart = u;
    if (SYSTEMS_FIRST) {
        row = task / LANES;
        lane = task % LANES;
        apart = u * LANES;
    }
    let chunk = select(2u * u * row, 2u * u * (row + 1u) - 1u, towards_last);
    let at = thread_at(chunk, lane) + select(0u, WORKGROUP, towards_last);
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
