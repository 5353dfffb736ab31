// role: kernel
import package::shared::problem::params;
import package::shared::sizes::AHEAD;
import package::shared::workgroup::WORKGROUP;
import super::slice_maps::slice_maps;
import super::slice_values::slice_values;
import roles::initial::initial_of;
import roles::map::{SliceMap, identity, then, value_behind, value_of};
import roles::scan_start::begin_scan;
import roles::slice_scan::{slice_of_maps, value_before_chunk};

// The value before each slice, from the slices' maps: the second of three launches, a workgroup per
// sequence, each of its threads a run of neighbouring slices.

// Maps that are asked for at once: each takes its time to come.
fn maps_from(slice: u32, stop: u32) -> array<SliceMap, AHEAD> {
    var maps: array<SliceMap, AHEAD>;
    for (var i = 0u; i < AHEAD; i++) { // unroll
        maps[i] = slice_maps[min(slice + i, stop - 1u)];
    }
    return maps;
}

fn run(problem: u32, t: u32) {
    let first = problem * params.slices;
    let each = (params.slices + WORKGROUP - 1u) / WORKGROUP;
    let start = first + min(t * each, params.slices);
    let stop = min(start + each, first + params.slices);
    var map = identity();
    for (var slice = start; slice < stop; slice += AHEAD) {
        let maps = maps_from(slice, stop);
        for (var i = 0u; i < AHEAD; i++) { // unroll
            if (slice + i < stop) {
                map = then(map, maps[i]);
            }
        }
    }
    begin_scan(t);
    var value = value_before_chunk(slice_of_maps(t, map), value_of(initial_of(problem)));
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
