// The maps of a slice's chunks, composed over doubling distances.
var<workgroup> chunk_maps: array<real4, WORKGROUP>;

struct Scanned {
    // What the chunks before this one make of the value before the slice.
    before: Affine,
    // What all of them make of it.
    whole: Affine,
}

fn scanned(t: u32, own: Affine) -> Scanned {
    let here = place(t);
    var map = own;
    for (var distance = 1u; distance < CHUNKS; distance *= 2u) {
        chunk_maps[t] = packed(map);
        workgroupBarrier();
        if (here.chunk >= distance) {
            map = then(unpacked(chunk_maps[thread_at(here.chunk - distance, here.lane)]), map);
        }
        workgroupBarrier();
    }
    chunk_maps[t] = packed(map);
    workgroupBarrier();
    var found = Scanned(identity(), unpacked(chunk_maps[thread_at(CHUNKS - 1u, here.lane)]));
    if (here.chunk > 0u) {
        found.before = unpacked(chunk_maps[thread_at(here.chunk - 1u, here.lane)]);
    }
    // Before anything else is written there.
    workgroupBarrier();
    return found;
}
