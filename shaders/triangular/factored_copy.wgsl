// role: kernel
import super::factored_vectors::copy_rhs_units;
import super::problem::{params, problem_of};
import super::sizes::THREADS;

// The first launch of a factored solve in place: copies all right-hand sides. A thread per unit.
fn run(w: u32, t: u32) {
    let number = w % params.problems;
    copy_rhs_units(problem_of(number), number, w / params.problems * THREADS + t);
}
