import package::shared::problem::params;
import package::shared::sizes::AHEAD;
import package::shared::workgroup::WORKGROUP;

// Slices in groups, a workgroup per group, each of its threads AHEAD neighbouring slices.
override GROUP: u32 = WORKGROUP * AHEAD;

// The slices of thread t of workgroup w: the first, and the one behind the last.
fn slices_of(w: u32, t: u32) -> vec2<u32> {
    let problem = w / params.children;
    let first = problem * params.slices;
    let end = first + params.slices;
    let start = min(first + (w % params.children) * GROUP + t * AHEAD, end);
    return vec2<u32>(start, min(start + AHEAD, end));
}
