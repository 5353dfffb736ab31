import super::workgroup::WORKGROUP;
import roles::problem::params;

// How a workgroup's threads share out the chunks of its problems: WORKGROUP threads hold the
// 2^LOG_CHUNKS chunks of each of PROBLEMS problems.
override LOG_CHUNKS: u32 = 8u;
override SYSTEMS_FIRST: bool = false;
override CHUNKS: u32 = 1u << LOG_CHUNKS;
override PROBLEMS: u32 = WORKGROUP >> LOG_CHUNKS;
// Lanes that may shuffle among each other: no more than a subgroup has at the least.
override LOG_RUN: u32 = 0u;
override RUN: u32 = 1u << LOG_RUN;

// A thread's chunk, and which of the workgroup's problems it belongs to, from 0 to PROBLEMS - 1.
struct Place {
    chunk: u32,
    local_problem: u32,
}

fn place(t: u32) -> Place {
    if (SYSTEMS_FIRST) {
        return Place(t / PROBLEMS, t % PROBLEMS);
    }
    return Place(t % CHUNKS, t / CHUNKS);
}

// The thread that holds a chunk.
fn thread_at(chunk: u32, local_problem: u32) -> u32 {
    if (SYSTEMS_FIRST) {
        return chunk * PROBLEMS + local_problem;
    }
    return local_problem * CHUNKS + chunk;
}

// What a thread of a workgroup works on: a chunk of a slice of one of its problems.
struct Share {
    slice: u32,
    // The first of the workgroup's problems.
    base: u32,
    problem: u32,
    // The chunk, counted in the problem.
    chunk: u32,
    // What no problem owns is worked on like the last problem's, but not written.
    owned: bool,
}

fn share_of(w: u32, t: u32) -> Share {
    let here = place(t);
    var slice = w;
    var base = 0u;
    if (params.problems > PROBLEMS) {
        slice = w % params.slices;
        base = (w / params.slices) * PROBLEMS;
    }
    let problem = min(base + here.local_problem, params.problems - 1u);
    return Share(slice, base, problem, slice * CHUNKS + here.chunk, base + here.local_problem < params.problems);
}
