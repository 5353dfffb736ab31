// role: kernel
import super::map_run::run_map;
import super::slice_groups::slices_of;
import roles::map::SliceMap;
import roles::scan_start::begin_scan;
import roles::slice_scan::{slice_of_maps, whole_of};

// Each group of slices as one map, before the propagation over the groups.
@group(0) @binding(8) var<storage, read_write> map_of_group: array<SliceMap>;

fn run(w: u32, t: u32) {
    let own = slices_of(w, t);
    let map = run_map(own.x, own.y);
    begin_scan(t);
    let whole = whole_of(slice_of_maps(t, map));
    if (t == 0u) {
        map_of_group[w] = whole;
    }
}
