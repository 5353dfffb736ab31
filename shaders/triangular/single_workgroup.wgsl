// role: kernel
import super::eight::extreme;
import super::problem::{params, problem_of};
import super::single::{CHUNK, CHUNK_STEPS, begin, eight_entries, is_near, put_single, solve_step, subtract_single};
import super::sizes::{EIGHT, ROWS, THREADS};
import roles::real::real;

// The matrix on its way through workgroup memory: one thread of each row multiplies, and the others take turns to load
// its entries of a step ahead of time.

const LOADERS: u32 = THREADS / ROWS - 1u;

// Of every other step, the entries of all rows.
var<workgroup> panels: array<real, 16u * ROWS>;

fn run(w: u32, t: u32) {
    let problem = problem_of(w);
    let position = t % ROWS;
    let group = t / ROWS;
    let chunk = position / CHUNK;
    let far = max(chunk * CHUNK_STEPS, 2u) - 2u;
    var held: array<real, 8>;
    if (group > 0u && far > 0u) {
        held = eight_entries(problem, position, min(group, far) - 1u);
    }
    var row = begin(problem, t);
    let divided = extreme != 0u;
    for (var step = 0u; step < params.blocks; step++) {
        if (group > 0u) {
            if (step < far && step % LOADERS == group - 1u) {
                for (var f = 0u; f < EIGHT; f++) { // unroll
                    panels[((step % 2u) * 8u + f) * ROWS + position] = held[f];
                }
                held = eight_entries(problem, position, min(step + LOADERS, far - 1u));
            }
        } else if (is_near(chunk, step)) {
            row = solve_step(position, step, row, divided);
        } else if (step > 0u && step <= far) {
            let known = step - 1u;
            var factors: array<real, 8>;
            for (var f = 0u; f < EIGHT; f++) { // unroll
                factors[f] = panels[((known % 2u) * 8u + f) * ROWS + position];
            }
            row.rest = subtract_single(known, factors, row.rest);
        }
        workgroupBarrier();
    }
    if (group == 0u) {
        put_single(problem, position, row.found);
    }
}
