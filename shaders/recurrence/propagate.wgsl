// The value before each slice, from the slices' maps: the second of three launches, a workgroup a
// sequence, its threads a run of neighbouring slices each.
fn run(problem: u32, t: u32) {
    let first = problem * params.slices;
    let each = (params.slices + WORKGROUP - 1u) / WORKGROUP;
    let start = min(t * each, params.slices);
    let stop = min(start + each, params.slices);
    var map = identity();
    for (var slice = start; slice < stop; slice++) {
        map = then(map, slice_maps[first + slice]);
    }
    begin_scan(t);
    var scan: Slice;
    scan.near = scanned(t, Near(map.s, narrow(map.t)));
    scan.is_far = any_left_range(scan.near);
    if (scan.is_far) {
        scan.far = far_scanned(t, map);
    }
    var value = value_before_chunk(scan, initial_of(problem));
    for (var slice = start; slice < stop; slice++) {
        slice_values[first + slice] = value;
        value = value_behind(slice_maps[first + slice], value);
    }
}
