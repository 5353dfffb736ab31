// role: shuffle
import super::sizes::ORDER;
import super::state::State;

fn from_before(z: State, distance: u32) -> State {
    var other: State;
    for (var i = 0u; i < ORDER; i++) { // unroll
        other[i] = subgroupShuffleUp(z[i], distance);
    }
    return other;
}

fn from_lane(z: State, lane: u32) -> State {
    var other: State;
    for (var i = 0u; i < ORDER; i++) { // unroll
        other[i] = subgroupShuffle(z[i], lane);
    }
    return other;
}

fn from_behind(z: State, distance: u32) -> State {
    var other: State;
    for (var i = 0u; i < ORDER; i++) { // unroll
        other[i] = subgroupShuffleDown(z[i], distance);
    }
    return other;
}
