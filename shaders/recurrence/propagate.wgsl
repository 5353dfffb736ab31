// role: kernel
import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::map_run::{put_run_values, run_map};
import roles::initial::initial_of;
import roles::map::value_of;
import roles::scan_start::begin_scan;
import roles::slice_scan::{slice_of_maps, value_before_chunk};

// The value before each slice, from the slices' maps: the second of three launches, a workgroup per
// sequence, each of its threads a run of neighbouring slices.
fn run(problem: u32, t: u32) {
    let first = problem * params.slices;
    let each = (params.slices + WORKGROUP - 1u) / WORKGROUP;
    let start = first + min(t * each, params.slices);
    let stop = min(start + each, first + params.slices);
    let map = run_map(start, stop);
    begin_scan(t);
    let before = value_before_chunk(slice_of_maps(t, map), value_of(initial_of(problem)));
    put_run_values(start, stop, before);
}
