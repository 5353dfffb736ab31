// role: parallel
import package::shared::block::combine;
import package::shared::problem::params;
import super::cyclic::{held, held_at};
import roles::real::real4;

// Parallel cyclic reduction of rows stride-1, 2 stride-1, ... of which there are no more
// than a subgroup has lanes at the least: a row a lane, passed by shuffles.
fn solve_every(t: u32, base: u32, stride: u32) {
    let count = params.n / stride;
    let end = real4(0.0, 0.0, 0.0, 1.0);
    var mine = end;
    if (t < count) {
        mine = held[held_at(base, (t + 1u) * stride - 1u)];
    }
    for (var v = 1u; v < count; v *= 2u) {
        let lo = subgroupShuffleUp(mine, v);
        let hi = subgroupShuffleDown(mine, v);
        mine = combine(select(end, lo, t >= v), mine, select(end, hi, t + v < count));
    }
    if (t < count) {
        held[held_at(base, (t + 1u) * stride - 1u)] = mine;
    }
}
