import package::shared::sizes::AHEAD;
import super::slice_maps::slice_maps;
import super::slice_values::slice_values;
import roles::map::{SliceMap, Value, identity, then, value_behind};

// Neighbouring slices, from `start` to before `stop`, in one thread. Several maps are loaded at once: each load takes its time.
fn maps_from(slice: u32, stop: u32) -> array<SliceMap, AHEAD> {
    var maps: array<SliceMap, AHEAD>;
    for (var i = 0u; i < AHEAD; i++) { // unroll
        maps[i] = slice_maps[min(slice + i, stop - 1u)];
    }
    return maps;
}

// Their maps as one.
fn run_map(start: u32, stop: u32) -> SliceMap {
    var map = identity();
    for (var slice = start; slice < stop; slice += AHEAD) {
        let maps = maps_from(slice, stop);
        for (var i = 0u; i < AHEAD; i++) { // unroll
            if (slice + i < stop) {
                map = then(map, maps[i]);
            }
        }
    }
    return map;
}

// Stores the value before each, from the one before the first.
fn put_run_values(start: u32, stop: u32, before: Value) {
    var value = before;
    for (var slice = start; slice < stop; slice += AHEAD) {
        let maps = maps_from(slice, stop);
        for (var i = 0u; i < AHEAD; i++) { // unroll
            if (slice + i < stop) {
                slice_values[slice + i] = value;
                value = value_behind(maps[i], value);
            }
        }
    }
}
