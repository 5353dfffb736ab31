// role: kernel
import super::eight::extreme;
import super::problem::{params, problem_of};
import super::single::{CHUNK, CHUNK_STEPS, begin, eight_entries, is_near, put_single, solve_step, subtract_single, sums};
import super::sizes::{COLUMNS, EIGHT, PARTS, ROWS};
import roles::real::real;

const HELD = 0u; // set by Rust
const RUN = 0u; // set by Rust
const RUNS = 0u; // set by Rust
const STEPS = 0u; // set by Rust

// The matrix in registers: steps are dealt to the threads of a row in runs, one after the other (Hogg's variants A,
// runs of one step, and B, of several), and each thread has the next RUNS of its own loaded.

struct Held {
    a: array<real, HELD>,
}

// What a thread holds, with a step's entries at one of its places.
fn hold(held: Held, at: u32, eight: array<real, 8>) -> Held {
    var all = held;
    for (var f = 0u; f < EIGHT; f++) { // unroll
        all.a[at * 8u + f] = eight[f];
    }
    return all;
}

fn held_eight(held: Held, at: u32) -> array<real, 8> {
    var eight: array<real, 8>;
    for (var f = 0u; f < EIGHT; f++) { // unroll
        eight[f] = held.a[at * 8u + f];
    }
    return eight;
}

fn run(w: u32, t: u32) {
    let problem = problem_of(w);
    let position = t % ROWS;
    let group = t / ROWS;
    let chunk = position / CHUNK;
    // Steps that are not near.
    let far = max(chunk * CHUNK_STEPS, 2u) - 2u;
    var held: Held;
    if (far > 0u) {
        for (var at = 0u; at < STEPS; at++) { // unroll
            let step = (at / RUN * PARTS + group) * RUN + at % RUN;
            held = hold(held, at, eight_entries(problem, position, min(step, far - 1u)));
        }
    }
    var row = begin(problem, t);
    let divided = extreme != 0u;
    for (var step = 0u; step < params.blocks; step++) {
        if (is_near(chunk, step)) {
            if (group == 0u) {
                row = solve_step(position, step, row, divided);
            }
        } else if (step > 0u && step <= far) {
            let known = step - 1u;
            let run = known / RUN;
            let place = run / PARTS % RUNS * RUN + known % RUN;
            if (group == run % PARTS) {
                for (var at = 0u; at < STEPS; at++) { // unroll
                    if (at == place) {
                        row.rest = subtract_single(known, held_eight(held, at), row.rest);
                        let next = known + RUN * PARTS * RUNS;
                        held = hold(held, at, eight_entries(problem, position, min(next, far - 1u)));
                    }
                }
            }
            if (group > 0u && step == far) {
                for (var c = 0u; c < COLUMNS; c++) { // unroll
                    sums[(group * COLUMNS + c) * ROWS + position] = row.rest.a[c];
                }
            }
        }
        workgroupBarrier();
    }
    if (group == 0u) {
        put_single(problem, position, row.found);
    }
}
