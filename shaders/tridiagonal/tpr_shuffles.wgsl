// role: tpr_threads
import package::shared::block::{Block, NONE_BEFORE, NONE_BEHIND, combine, value};
import package::shared::place::{CHUNKS, PROBLEMS, RUN, place, thread_at};
import package::shared::workgroup::WORKGROUP;
import super::tpr_slice::Sides;
import super::tpr_step::reduce_step;
import roles::real::{real, real4};

// A slice's threads, together: as tpr_memory.wgsl does it while more rows are left than a run of
// lanes holds, with shuffles from there.
override HELD: u32 = 512u;
// The lanes of a slice that shuffle among each other.
override SPAN: u32 = min(RUN, CHUNKS);

var<workgroup> held: array<real4, HELD>;

// What the threads beside this one hand over: `up` to the next, `down` to the one before.
fn beside(t: u32, up: real4, down: real4) -> Sides {
    let chunk = place(t).chunk;
    var sides = Sides(subgroupShuffleUp(up, 1u), subgroupShuffleDown(down, 1u));
    if (CHUNKS > SPAN) {
        // From run to run through memory.
        let run = t / SPAN;
        if (t % SPAN == SPAN - 1u) {
            held[run] = up;
        }
        if (t % SPAN == 0u) {
            held[WORKGROUP + run] = down;
        }
        workgroupBarrier();
        if (t % SPAN == 0u && chunk > 0u) {
            sides.prev = held[run - 1u];
        }
        if (t % SPAN == SPAN - 1u && chunk + 1u < CHUNKS) {
            sides.next = held[WORKGROUP + run + 1u];
        }
        workgroupBarrier();
    }
    if (chunk == 0u) {
        sides.prev = NONE_BEFORE;
    }
    if (chunk + 1u == CHUNKS) {
        sides.next = NONE_BEHIND;
    }
    return sides;
}

// A thread's row of both sub-systems, to where the slice's first and last row, and all between, end.
fn reduce_threads(t: u32, own: Block) -> Block {
    var mine = own;
    let left = CHUNKS / SPAN;
    let row = t % SPAN;
    if (CHUNKS > SPAN) {
        held[t] = own.first;
        held[WORKGROUP + t] = own.last;
        for (var u = 1u; u < left; u *= 2u) {
            workgroupBarrier();
            reduce_step(t, u);
        }
        workgroupBarrier();
        // The rows that are left, side by side.
        if (t < SPAN * PROBLEMS) {
            mine.first = held[thread_at(row * left, t / SPAN)];
            mine.last = held[WORKGROUP + thread_at((row + 1u) * left - 1u, t / SPAN)];
        }
        workgroupBarrier();
    }
    for (var u = 1u; u < SPAN; u *= 2u) {
        // In each step a lane has a row to hand over to at most one of the sub-systems, and to
        // reduce of at most one.
        var given = mine.first;
        if (row % (2u * u) == u - 1u) {
            given = mine.last;
        }
        var lo = subgroupShuffleUp(given, u);
        var hi = subgroupShuffleDown(given, u);
        if (row < u) {
            lo = NONE_BEFORE;
        }
        if (row + u >= SPAN) {
            hi = NONE_BEHIND;
        }
        let towards_first = row % (2u * u) == 0u;
        let reduced = combine(lo, select(mine.last, mine.first, towards_first), hi);
        if (towards_first) {
            mine.first = reduced;
        }
        if (row % (2u * u) == 2u * u - 1u) {
            mine.last = reduced;
        }
    }
    if (CHUNKS > SPAN) {
        if (t < SPAN * PROBLEMS) {
            held[WORKGROUP + thread_at((row + 1u) * left - 1u, t / SPAN)] = mine.last;
            if (row == 0u) {
                held[thread_at(0u, t / SPAN)] = mine.first;
            }
        }
        workgroupBarrier();
        mine = Block(held[t], held[WORKGROUP + t]);
    }
    return mine;
}

// The unknown before a thread's first row and that of its last; `outer` are those of the slice.
fn substitute_threads(t: u32, last: real4, outer: vec2<real>) -> vec2<real> {
    let chunk = place(t).chunk;
    var x = outer.y;
    // The unknown before this thread's run.
    var before_run = outer.x;
    if (CHUNKS > SPAN) {
        // The runs' last unknowns, in held[.].x.
        let run = t / SPAN;
        workgroupBarrier();
        if (chunk + 1u == CHUNKS) {
            held[run].x = x;
        }
        for (var u = CHUNKS / 2u; u >= SPAN; u /= 2u) {
            workgroupBarrier();
            if ((chunk + 1u) % (2u * u) == u) {
                var before = outer.x;
                if (chunk >= u) {
                    before = held[run - u / SPAN].x;
                }
                x = value(last, before, held[run + u / SPAN].x);
                held[run].x = x;
            }
        }
        workgroupBarrier();
        if (chunk >= SPAN) {
            before_run = held[run - 1u].x;
        }
    }
    let row = t % SPAN;
    for (var u = SPAN / 2u; u > 0u; u /= 2u) {
        var before = subgroupShuffleUp(x, u);
        let behind = subgroupShuffleDown(x, u);
        if (row < u) {
            before = before_run;
        }
        if ((row + 1u) % (2u * u) == u) {
            x = value(last, before, behind);
        }
    }
    let before = subgroupShuffleUp(x, 1u);
    return vec2<real>(select(before, before_run, row == 0u), x);
}
