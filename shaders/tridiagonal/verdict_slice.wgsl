// role: slice_verdict
import super::verdicts::{give_verdict, verdict_at, verdicts};
import roles::leaf::Leaf;
import roles::real::real;

// What slices find of their problem.
const PACKED_SLICES: bool = false;

// What is not finite spoils its own problem only.
fn stays_finite(leaf: Leaf, beside: vec2<real>) -> bool {
    return true;
}

fn verdict_before_slice(problem: u32, slice: u32) -> u32 {
    return atomicLoad(&verdicts[verdict_at(problem)]);
}

// By all threads; `doubts`: those of the whole slice.
fn give_slice_verdict(t: u32, problem: u32, slice: u32, doubts: u32) {
    if (t == 0u && doubts != 0u) {
        give_verdict(problem, doubts);
    }
}
