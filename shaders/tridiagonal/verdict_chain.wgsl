// role: chain

// Dispatches before those that verdicts.wgsl knows, for problems that only those before have to look at: their grids are in a
// buffer of their own, since the first of them gives verdicts as well, and may not write what its own grid is read from.
@group(0) @binding(10) var<storage, read_write> chain: array<atomic<u32>>;
override CHAINED: u32 = 1u;

fn wake_chain(bit: u32) {
    for (var i = 0u; i < CHAINED; i++) {
        if ((atomicLoad(&chain[4u * i + 3u]) & bit) != 0u) {
            atomicStore(&chain[4u * i], atomicLoad(&chain[4u * CHAINED + i]));
        }
    }
}

fn clear_chain(i: u32) {
    if (i < CHAINED) {
        atomicStore(&chain[4u * i], 0u);
    }
}
