// role: tpr_threads
import package::shared::block::{Block, NONE_BEFORE, NONE_BEHIND, value};
import package::shared::place::{CHUNKS, PROBLEMS, SYSTEMS_FIRST, place};
import package::shared::workgroup::WORKGROUP;
import super::tpr_slice::Sides;
import super::tpr_step::reduce_step;
import roles::real::{real, real4};

// A slice's threads, together through workgroup memory. Once a thread has reduced its rows it is a
// row of each sub-system: those towards the first lie in the lower half of `held`, those towards
// the last in the upper.
override HELD: u32 = 512u;

var<workgroup> held: array<real4, HELD>;

// From a thread to that of the next chunk.
fn chunk_step() -> u32 {
    return select(1u, PROBLEMS, SYSTEMS_FIRST);
}

// What the threads beside this one hand over: `up` to the next, `down` to the one before.
fn beside(t: u32, up: real4, down: real4) -> Sides {
    let chunk = place(t).chunk;
    held[t] = up;
    held[WORKGROUP + t] = down;
    workgroupBarrier();
    var sides = Sides(NONE_BEFORE, NONE_BEHIND);
    if (chunk > 0u) {
        sides.prev = held[t - chunk_step()];
    }
    if (chunk + 1u < CHUNKS) {
        sides.next = held[WORKGROUP + t + chunk_step()];
    }
    workgroupBarrier();
    return sides;
}

// A thread's row of both sub-systems, to where the slice's first and last row, and all between, end.
fn reduce_threads(t: u32, mine: Block) -> Block {
    held[t] = mine.first;
    held[WORKGROUP + t] = mine.last;
    for (var u = 1u; u < CHUNKS; u *= 2u) {
        workgroupBarrier();
        reduce_step(t, u);
    }
    workgroupBarrier();
    return Block(held[t], held[WORKGROUP + t]);
}

// The unknown before a thread's first row and that of its last; `outer` are those of the slice.
fn substitute_threads(t: u32, last: real4, outer: vec2<real>) -> vec2<real> {
    let chunk = place(t).chunk;
    // held[.].x are the unknowns.
    workgroupBarrier();
    var x = outer.y;
    held[t].x = x;
    for (var u = CHUNKS / 2u; u > 0u; u /= 2u) {
        workgroupBarrier();
        if ((chunk + 1u) % (2u * u) == u) {
            var before = outer.x;
            if (chunk >= u) {
                before = held[t - u * chunk_step()].x;
            }
            x = value(last, before, held[t + u * chunk_step()].x);
            held[t].x = x;
        }
    }
    workgroupBarrier();
    if (chunk == 0u) {
        return vec2<real>(outer.x, x);
    }
    return vec2<real>(held[t - chunk_step()].x, x);
}
