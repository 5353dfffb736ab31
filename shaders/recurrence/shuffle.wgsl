// role: shuffle
import super::affine::{Affine, Wide};
import super::near::Near;

fn from_before(map: Near, distance: u32) -> Near {
    return Near(
        Wide(subgroupShuffleUp(map.s.x, distance), subgroupShuffleUp(map.s.e, distance)),
        subgroupShuffleUp(map.t, distance),
    );
}

fn from_lane(map: Near, lane: u32) -> Near {
    return Near(Wide(subgroupShuffle(map.s.x, lane), subgroupShuffle(map.s.e, lane)), subgroupShuffle(map.t, lane));
}

fn from_behind(map: Affine, distance: u32) -> Affine {
    return Affine(
        Wide(subgroupShuffleDown(map.s.x, distance), subgroupShuffleDown(map.s.e, distance)),
        Wide(subgroupShuffleDown(map.t.x, distance), subgroupShuffleDown(map.t.e, distance)),
    );
}
