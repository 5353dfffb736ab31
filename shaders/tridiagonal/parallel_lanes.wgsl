// role: parallel
import package::shared::block::combine;
import super::cyclic::{ROWS_HELD, SHARE, held, held_at};
import super::parallel_memory::{ITEMS, reduce_in_memory};
import roles::problem::params;
import roles::real::real4;

const LOG_ITEMS = 0u; // set by Rust
// Lanes that shuffle among each other, at most the least subgroup size of the device.
override SPAN: u32 = 4u;
// Subgroups per system.
override GROUPS: u32 = 1u;

// Parallel cyclic reduction of rows stride-1, 2 stride-1, ..., here called rows 0, 1, ... The first steps, through workgroup memory, leave
// GROUPS systems, each of every GROUPS-th row. A subgroup solves one of them in registers: its lane t has the rows t, t + SPAN, ... of
// it. Steps over fewer than SPAN rows are shuffles, and longer steps stay within a lane. Rows past the end are x = 0.
fn solve_every(t: u32, base: u32, stride: u32) {
    reduce_in_memory(t, base, stride, GROUPS);
    let count = params.n / stride;
    let end = real4(0.0, 0.0, 0.0, 1.0);
    let group = t / SPAN;
    // The lane of its subgroup at which the run of lanes begins.
    let thread = (base / ROWS_HELD) * SHARE + t;
    let start = thread - t % SPAN - subgroupMin(thread);
    var mine: array<real4, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) { // unroll
        let row = (t % SPAN + k * SPAN) * GROUPS + group;
        mine[k] = end;
        if (group < GROUPS && row < count) {
            mine[k] = held[held_at(base, (row + 1u) * stride - 1u)];
        }
    }
    for (var v = 1u; v < min(SPAN, count); v *= 2u) {
        let lane_before = start + (t + SPAN - v) % SPAN;
        let lane_behind = start + (t + v) % SPAN;
        // A shuffle that wraps around the lanes brings the row of the item before or after.
        var wrapped = end;
        var behind = subgroupShuffle(mine[0], lane_behind);
        for (var k = 0u; k < ITEMS; k++) { // unroll
            let before = subgroupShuffle(mine[k], lane_before);
            var next = end;
            if (k + 1u < ITEMS) {
                next = subgroupShuffle(mine[(k + 1u) % ITEMS], lane_behind);
            }
            let lo = select(wrapped, before, t % SPAN >= v);
            let hi = select(next, behind, t % SPAN + v < SPAN);
            mine[k] = combine(lo, mine[k], hi);
            wrapped = before;
            behind = next;
        }
    }
    for (var step = 0u; step < LOG_ITEMS; step++) { // unroll
        const distance = 1u << step;
        let old = mine;
        for (var k = 0u; k < ITEMS; k++) { // unroll
            let lo = select(end, old[(k + ITEMS - distance) % ITEMS], k >= distance);
            let hi = select(end, old[(k + distance) % ITEMS], k + distance < ITEMS);
            mine[k] = combine(lo, old[k], hi);
        }
    }
    for (var k = 0u; k < ITEMS; k++) { // unroll
        let row = (t % SPAN + k * SPAN) * GROUPS + group;
        if (group < GROUPS && row < count) {
            held[held_at(base, (row + 1u) * stride - 1u)] = mine[k];
        }
    }
}
