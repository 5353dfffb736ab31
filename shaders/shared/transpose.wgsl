import super::sizes::{HALF, ROWS};
import roles::real::{UNIT, real};

const LOG_UNITS = 0u; // set by Rust

// A chunk has U = 2^LOG_UNITS units. U neighbouring lanes form a group. One load gives each lane one unit of the same
// chunk; U loads give the group U chunks.

// Turns the units that the lanes of a group hold of their chunks into a chunk for each lane, and back.
fn transposed(given: array<real, ROWS>, lane: u32) -> array<real, ROWS> {
    var a = given;
    for (var stage = LOG_UNITS; stage > 0u; stage--) { // unroll
        const distance = 1u << (stage - 1u);
        let high = (lane & distance) != 0u;
        for (var i = 0u; i < HALF; i++) { // unroll
            const pair = i / UNIT;
            const near = (pair / distance * 2u * distance + pair % distance) * UNIT + i % UNIT;
            const far = near + distance * UNIT;
            let received = subgroupShuffleXor(select(a[far], a[near], high), distance);
            a[far] = select(received, a[far], high);
            a[near] = select(a[near], received, high);
        }
    }
    return a;
}
