import package::shared::block::{combine, value};
import package::shared::workgroup::WORKGROUP;
import roles::parallel::solve_every;
import roles::problem::params;
import roles::real::{real, real4};
import roles::sink::sink;
import roles::source::source;

// CR, PCR and CR-PCR of systems that fit a workgroup's memory, PROBLEMS of them per workgroup. `steps`
// of cyclic reduction leave every 2^steps-th row; the parallel part solves those; substitution goes
// the steps back. All steps is CR, none is PCR.
override PROBLEMS: u32 = 1u;
// Neighbouring threads take neighbouring systems.
override SYSTEMS_FIRST: bool = false;
// Threads per system.
override SHARE: u32 = WORKGROUP / PROBLEMS;
override ROWS_HELD: u32 = 1024u;
override HELD: u32 = ROWS_HELD * PROBLEMS;

// Rows exchange places within groups of eight, such that rows 2, 4, 8, ... apart lie in different banks, and so do
// the same rows of neighbouring systems. ROWS_HELD is then a multiple of 8.
override SPREAD: bool = false;

// p, q, r, complement; r becomes x once a row is solved. A system's rows lie together.
var<workgroup> held: array<real4, HELD>;

// Where the rows of one of a workgroup's problems begin; with SPREAD, the last three bits are those of its number.
fn base_of(local_problem: u32) -> u32 {
    if (SPREAD) {
        return local_problem * ROWS_HELD + (local_problem & 7u);
    }
    return local_problem * ROWS_HELD;
}

fn held_at(base: u32, row: u32) -> u32 {
    if (SPREAD) {
        let eights = row >> 3u;
        let turned = eights ^ (eights >> 3u) ^ (eights >> 6u) ^ base;
        return (base & ~7u) + (row ^ (turned & 7u));
    }
    return base + row;
}

fn held_or_end(base: u32, row: u32) -> real4 {
    if (row < params.n) {
        return held[held_at(base, row)];
    }
    return real4(0.0, 0.0, 0.0, 1.0);
}

fn reduce_and_solve(w: u32, thread: u32) {
    var t = thread % SHARE;
    var local_problem = thread / SHARE;
    if (SYSTEMS_FIRST) {
        t = thread / PROBLEMS;
        local_problem = thread % PROBLEMS;
    }
    // What no problem owns is solved once more, but not written.
    let problem = min(w * PROBLEMS + local_problem, params.problems - 1u);
    let owned = w * PROBLEMS + local_problem < params.problems;
    let base = base_of(local_problem);
    let n = params.n;
    for (var i = t; i < n; i += SHARE) {
        held[held_at(base, i)] = source(problem, i);
    }
    // Rows 2u-1, 4u-1, ... take in their neighbours u away, which this step does not touch.
    for (var step = 0u; step < params.steps; step++) {
        workgroupBarrier();
        let u = 1u << step;
        for (var i = (t + 1u) * 2u * u - 1u; i < n; i += SHARE * 2u * u) {
            let mid = held_at(base, i);
            held[mid] = combine(held[held_at(base, i - u)], held[mid], held_or_end(base, i + u));
        }
    }
    workgroupBarrier();
    solve_every(t, base, 1u << params.steps);
    for (var step = params.steps; step > 0u; step--) {
        workgroupBarrier();
        let u = 1u << (step - 1u);
        for (var i = t * 2u * u + u - 1u; i < n; i += SHARE * 2u * u) {
            var prev = real(0.0);
            var next = real(0.0);
            if (i >= u) {
                prev = held[held_at(base, i - u)].z;
            }
            if (i + u < n) {
                next = held[held_at(base, i + u)].z;
            }
            let mid = held_at(base, i);
            held[mid].z = value(held[mid], prev, next);
        }
    }
    workgroupBarrier();
    if (owned) {
        for (var i = t; i < n; i += SHARE) {
            sink(problem, i, held[held_at(base, i)].z);
        }
    }
}
