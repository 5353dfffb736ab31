import super::sizes::{HALF, ROWS};
import roles::real::{UNIT, real};

// Chunks of four units, of which a load gives each lane one: the four lanes of a group hold a chunk's after each of four
// loads.

// Turns the units that the lanes of a group hold of four chunks into a chunk for each lane, and back.
fn transposed(given: array<real, ROWS>, lane: u32) -> array<real, ROWS> {
    var a = given;
    let far = (lane & 2u) != 0u;
    for (var i = 0u; i < HALF; i++) { // unroll
        let received = subgroupShuffleXor(select(a[i + HALF], a[i], far), 2u);
        a[i + HALF] = select(received, a[i + HALF], far);
        a[i] = select(a[i], received, far);
    }
    let odd = (lane & 1u) != 0u;
    for (var i = 0u; i < UNIT; i++) { // unroll
        let first = subgroupShuffleXor(select(a[i + UNIT], a[i], odd), 1u);
        a[i + UNIT] = select(first, a[i + UNIT], odd);
        a[i] = select(a[i], first, odd);
        let second = subgroupShuffleXor(select(a[i + HALF + UNIT], a[i + HALF], odd), 1u);
        a[i + HALF + UNIT] = select(second, a[i + HALF + UNIT], odd);
        a[i + HALF] = select(a[i + HALF], second, odd);
    }
    return a;
}
