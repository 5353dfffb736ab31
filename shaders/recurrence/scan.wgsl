// The maps of a slice's chunks, composed over doubling distances.
var<workgroup> chunk_maps: array<ScanMap, WORKGROUP>;

fn scanned(t: u32, own: ScanMap) -> ScannedMaps {
    let here = place(t);
    var map = own;
    for (var distance = 1u; distance < CHUNKS; distance *= 2u) {
        chunk_maps[t] = map;
        workgroupBarrier();
        if (here.chunk >= distance) {
            map = scan_then(chunk_maps[thread_at(here.chunk - distance, here.lane)], map);
        }
        workgroupBarrier();
    }
    chunk_maps[t] = map;
    workgroupBarrier();
    var found = ScannedMaps(scan_identity(), chunk_maps[thread_at(CHUNKS - 1u, here.lane)]);
    if (here.chunk > 0u) {
        found.before = chunk_maps[thread_at(here.chunk - 1u, here.lane)];
    }
    // Before anything else is written there.
    workgroupBarrier();
    return found;
}
