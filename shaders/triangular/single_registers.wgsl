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
    let own = position / 8u;
    // The last step that is not near, and where there is none whatever step.
    let far = max(own, 3u) - 3u;
    var row = begin(problem, t);
    var held: Held;
    if (own > 2u) {
        for (var at = 0u; at < STEPS; at++) { // unroll
            let step = (at / RUN * PARTS + group) * RUN + at % RUN;
            held = hold(held, at, eight_entries(problem, position, min(step, far)));
        }
    }
    let divided = extreme != 0u;
    for (var step = 0u; step < params.blocks; step++) {
        if (own == step || own == step + 1u) {
            if (group == 0u) {
                solve_step(problem, position, step, row, divided);
            }
        } else if (own > step && step > 0u) {
            let known = step - 1u;
            let run = known / RUN;
            let place = run / PARTS % RUNS * RUN + known % RUN;
            if (group == run % PARTS) {
                for (var at = 0u; at < STEPS; at++) { // unroll
                    if (at == place) {
                        row.rest = subtract(known, held_eight(held, at), row.rest);
                        let next = known + RUN * PARTS * RUNS;
                        held = hold(held, at, eight_entries(problem, position, min(next, far)));
                    }
                }
            }
            if (group > 0u && own == step + 2u) {
                for (var c = 0u; c < COLUMNS; c++) { // unroll
                    sums[sums_at(step + 1u, group, c) + position % 8u] = row.rest.a[c];
                }
            }
        } else if (group > 0u && own == step + 2u) {
            for (var c = 0u; c < COLUMNS; c++) { // unroll
                sums[sums_at(step + 1u, group, c) + position % 8u] = 0.0;
            }
        }
        workgroupBarrier();
    }
}
