fn from_before(map: Affine, distance: u32) -> Affine {
    return Affine(
        Wide(subgroupShuffleUp(map.s.x, distance), subgroupShuffleUp(map.s.e, distance)),
        Wide(subgroupShuffleUp(map.t.x, distance), subgroupShuffleUp(map.t.e, distance)),
    );
}

fn from_behind(map: Affine, distance: u32) -> Affine {
    return Affine(
        Wide(subgroupShuffleDown(map.s.x, distance), subgroupShuffleDown(map.s.e, distance)),
        Wide(subgroupShuffleDown(map.t.x, distance), subgroupShuffleDown(map.t.e, distance)),
    );
}

fn from_lane(map: Affine, lane: u32) -> Affine {
    return Affine(
        Wide(subgroupShuffle(map.s.x, lane), subgroupShuffle(map.s.e, lane)),
        Wide(subgroupShuffle(map.t.x, lane), subgroupShuffle(map.t.e, lane)),
    );
}
