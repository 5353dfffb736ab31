// role: parallel
import package::shared::block::combine;
import super::cyclic::{ROWS_HELD, SHARE, held, held_at};
import roles::problem::params;
import roles::real::real4;

const ITEMS = 0u; // set by Rust
const LOG_ITEMS = 0u; // set by Rust
// The lanes that share a system's rows: no more than a subgroup has at the least.
override SPAN: u32 = 4u;

// Parallel cyclic reduction of rows stride-1, 2 stride-1, ... in registers. Lane t has rows t, t + SPAN, ..: steps over fewer
// than SPAN rows are shuffles, and longer steps stay within a lane. Rows past the end say x = 0.
fn solve_every(t: u32, base: u32, stride: u32) {
    let count = params.n / stride;
    let end = real4(0.0, 0.0, 0.0, 1.0);
    // The lane of its subgroup at which the system begins.
    let thread = (base / ROWS_HELD) * SHARE + t;
    let start = thread - t % SPAN - subgroupMin(thread);
    var mine: array<real4, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) { // unroll
        let j = t + k * SPAN;
        mine[k] = end;
        if (t < SPAN && j < count) {
            mine[k] = held[held_at(base, (j + 1u) * stride - 1u)];
        }
    }
    for (var v = 1u; v < min(SPAN, count); v *= 2u) {
        let lane_before = start + (t + SPAN - v) % SPAN;
        let lane_behind = start + (t + v) % SPAN;
        // What a shuffle brings past an end of the lanes belongs to the item beside.
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
        let j = t + k * SPAN;
        if (t < SPAN && j < count) {
            held[held_at(base, (j + 1u) * stride - 1u)] = mine[k];
        }
    }
}
