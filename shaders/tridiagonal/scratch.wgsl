import package::shared::problem::{params, systems_first};
import package::shared::workgroup::WORKGROUP;

// Scratch lies as the caller's vectors do, so that neighbouring threads stay neighbours.
fn scratch_index(problem: u32, row: u32, count: u32) -> u32 {
    if (systems_first()) {
        return row * params.problems + problem;
    }
    return problem * count + row;
}

struct Task {
    problem: u32,
    row: u32,
    inside: bool,
}

// A thread's task, of `count` a problem.
fn task(w: u32, t: u32, count: u32) -> Task {
    let i = w * WORKGROUP + t;
    if (systems_first()) {
        return Task(i % params.problems, i / params.problems, i < count * params.problems);
    }
    return Task(i / count, i % count, i < count * params.problems);
}
