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
    var value = value_behind(scanned(t, map).before, initial_of(problem));
    for (var slice = start; slice < stop; slice++) {
        slice_values[first + slice] = value;
        value = value_behind(slice_maps[first + slice], value);
    }
}
