// How a workgroup's threads share out the chunks of its problems: WORKGROUP threads hold the
// 2^LOG_CHUNKS chunks of each of LANES problems.
override WORKGROUP: u32 = 256u;
override LOG_CHUNKS: u32 = 8u;
override SYSTEMS_FIRST: bool = false;
override NODES: u32 = 416u;
override CHUNKS: u32 = 1u << LOG_CHUNKS;
override LANES: u32 = WORKGROUP >> LOG_CHUNKS;

// A thread's chunk, and which of the workgroup's problems it belongs to.
struct Place {
    chunk: u32,
    lane: u32,
}

fn place(t: u32) -> Place {
    if (SYSTEMS_FIRST) {
        return Place(t / LANES, t % LANES);
    }
    return Place(t % CHUNKS, t / CHUNKS);
}
