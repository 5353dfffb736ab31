// role: kernel
import super::cyclic::reduce_and_solve;

// A workgroup's systems, and nothing beside.
fn run(w: u32, t: u32) {
    reduce_and_solve(w, t);
}
