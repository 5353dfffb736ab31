// role: kernel
import super::factored_vectors::keep_right;
import super::problem::{params, problem_of};
import super::sizes::THREADS;

// The first launch of a factored solve in place: copies all right-hand sides. A thread per row.
fn run(w: u32, t: u32) {
    let number = w % params.problems;
    keep_right(problem_of(number), number, w / params.problems * THREADS + t);
}
