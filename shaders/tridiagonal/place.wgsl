// How a workgroup's threads share out the chunks of its problems: WORKGROUP threads hold the
// 2^LOG_CHUNKS chunks of each of LANES problems.
override WORKGROUP: u32 = 256u;
override LOG_CHUNKS: u32 = 8u;
override SYSTEMS_FIRST: bool = false;
override CHUNKS: u32 = 1u << LOG_CHUNKS;
override LANES: u32 = WORKGROUP >> LOG_CHUNKS;
// Lanes that may shuffle among each other: no more than a subgroup has at the least.
override LOG_RUN: u32 = 0u;
override RUN: u32 = 1u << LOG_RUN;

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

// The thread that holds a chunk.
fn thread_at(chunk: u32, lane: u32) -> u32 {
    if (SYSTEMS_FIRST) {
        return chunk * LANES + lane;
    }
    return lane * CHUNKS + chunk;
}
