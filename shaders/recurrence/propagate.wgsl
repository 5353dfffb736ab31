// The value before each slice, from the slices' maps: the second of three launches, a workgroup a
// sequence, its threads a run of neighbouring slices each.

// Maps that are asked for at once: each takes its time to come.
fn maps_from(slice: u32, stop: u32) -> array<Affine, AHEAD> {
    var maps: array<Affine, AHEAD>;
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
    var scan: Slice;
    scan.near = scanned(t, Near(map.s, narrow(map.t)));
    scan.is_far = any_left_range(stays_near(scan.near));
    if (scan.is_far) {
        scan.far = far_scanned(t, map);
    }
    var value = value_before_chunk(scan, initial_of(problem));
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
