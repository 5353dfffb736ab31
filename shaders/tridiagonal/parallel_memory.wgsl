import package::shared::block::combine;
import super::cyclic::{SHARE, held, held_at};
import roles::problem::params;
import roles::real::real4;

const ITEMS = 0u; // set by Rust

// Steps of parallel cyclic reduction over the distances 1, 2, 4, ... below `end`, among the rows stride-1, 2 stride-1, ..., through
// workgroup memory; ITEMS rows per thread.
fn reduce_in_memory(t: u32, base: u32, stride: u32, end: u32) {
    let count = params.n / stride;
    for (var v = 1u; v < end; v *= 2u) {
        var mine: array<real4, ITEMS>;
        for (var k = 0u; k < ITEMS; k++) {
            let j = t + k * SHARE;
            if (j < count) {
                let i = (j + 1u) * stride - 1u;
                var lo = real4(0.0, 0.0, 0.0, 1.0);
                var hi = lo;
                if (j >= v) {
                    lo = held[held_at(base, i - v * stride)];
                }
                if (j + v < count) {
                    hi = held[held_at(base, i + v * stride)];
                }
                mine[k] = combine(lo, held[held_at(base, i)], hi);
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < ITEMS; k++) {
            let j = t + k * SHARE;
            if (j < count) {
                held[held_at(base, (j + 1u) * stride - 1u)] = mine[k];
            }
        }
        workgroupBarrier();
    }
}
