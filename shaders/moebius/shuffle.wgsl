// role: shuffle
import super::map::Moebius;

fn from_before(map: Moebius, distance: u32) -> Moebius {
    return Moebius(
        subgroupShuffleUp(map.of_infinity, distance),
        subgroupShuffleUp(map.of_zero, distance),
        subgroupShuffleUp(map.e, distance),
    );
}

fn from_lane(map: Moebius, lane: u32) -> Moebius {
    return Moebius(
        subgroupShuffle(map.of_infinity, lane),
        subgroupShuffle(map.of_zero, lane),
        subgroupShuffle(map.e, lane),
    );
}
