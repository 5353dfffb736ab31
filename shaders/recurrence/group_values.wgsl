// role: kernel
import super::map_run::{put_run_values, run_map};
import super::slice_groups::slices_of;
import roles::map::Value;
import roles::scan_start::begin_scan;
import roles::slice_scan::{slice_of_maps, value_before_chunk};

// The value before each slice of a group, behind the propagation over the groups.
@group(0) @binding(9) var<storage, read> value_before_group: array<Value>;

fn run(w: u32, t: u32) {
    let own = slices_of(w, t);
    let map = run_map(own.x, own.y);
    begin_scan(t);
    let before = value_before_chunk(slice_of_maps(t, map), value_before_group[w]);
    put_run_values(own.x, own.y, before);
}
