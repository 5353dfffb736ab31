import roles::map::SliceMap;

// What each slice makes of the value before it.
@group(0) @binding(7) var<storage, read_write> slice_maps: array<SliceMap>;
