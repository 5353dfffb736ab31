// role: eight
import package::shared::status::report_result;
import super::eight::{diagonal_entry, eight_solved, extreme};
import super::problem::{ACROSS, Problem, REVERSED, order, params, block_place, row_number, vector_index};
import super::sizes::{ALL_SUMS, COLUMNS, EIGHT, EIGHTS, EIGHT_UNITS, PARTS, ROWS, THREADS, WIDTH};
import roles::real::{UNIT, is_finite, real, unit};
import roles::triangle::{entry_of, load};

const EIGHT_LOADS = 0u; // set by Rust
const NEAR = 0u; // set by Rust
const NEAR_STEPS = 0u; // set by Rust

// A system in one workgroup (J. D. Hogg, "A fast dense triangular solve in CUDA", 2013, section 2): a thread, or several,
// for each row, by its position in the order in which rows are solved. Eight rows are a step.
//
// A step takes one barrier: its unknowns are computed by every thread of its chunk of rows for itself, and by the next
// chunk's before that's first step, so that no time passes until they are told. Chunks farther down learn of them while
// the next step is solved.

// Rows whose threads run together on most devices, and their steps.
const CHUNK: u32 = 32u;
const CHUNK_STEPS: u32 = CHUNK / 8u;

// A row's own eight entries, in units of 16 bytes. One unit more, so that rows lie in different banks.
const DIAGONAL: u32 = EIGHT_UNITS + 1u;
var<workgroup> diagonals: array<unit, ROWS * DIAGONAL>;
// Of every other step, what is left of its single_right-hand sides, and its unknowns.
var<workgroup> left: array<unit, EIGHTS>;
var<workgroup> unknowns: array<unit, EIGHTS>;
// What those of a row's threads that do not solve have summed up.
var<workgroup> sums: array<real, ALL_SUMS>;

@group(0) @binding(3) var<storage, read> rhs: array<real>; // input
@group(0) @binding(6) var<storage, read_write> x: array<real>;

// Where a position's row lies.
fn place_at(position: u32) -> u32 {
    return block_place(position / 8u) * 8u + order(position % 8u);
}

// The entries of a row at the eight columns of a step, whatever lies there, but 0 of unknowns that are not there.
fn eight_entries(problem: Problem, position: u32, step: u32) -> array<real, 8> {
    let last = params.n - 1u;
    let row = min(place_at(min(position, params.blocks * 8u - 1u)), last);
    let column = block_place(min(step, params.blocks - 1u)) * 8u;
    let base = problem.system * params.matrix_stride;
    var eight: array<real, 8>;
    for (var e = 0u; e < EIGHT_LOADS; e++) { // unroll
        let along = min(column + e * WIDTH, last / WIDTH * WIDTH);
        let value = load(base + select(along * params.lda + row, row * params.lda + along, ACROSS));
        for (var u = 0u; u < WIDTH; u++) { // unroll
            eight[e * WIDTH + u] = entry_of(value, u);
        }
    }
    var ordered: array<real, 8>;
    for (var e = 0u; e < EIGHT; e++) { // unroll
        // Solved backward, rows behind the last come first.
        let other = select(real(0.0), eight[7u - e], column + 7u - e < params.n);
        ordered[e] = select(eight[e], other, REVERSED);
    }
    return ordered;
}

fn eight_of(row: u32, step: u32) -> array<real, 8> {
    var eight: array<real, 8>;
    for (var e = 0u; e < EIGHT_UNITS; e++) { // unroll
        let some = diagonals[row * DIAGONAL + e];
        for (var u = 0u; u < UNIT; u++) { // unroll
            eight[e * UNIT + u] = some[u];
        }
    }
    return eight;
}

// Keeps a row's own entries: only the diagonal and what is on the matrix's side of it, and of a unit one no diagonal.
// Rows behind the last are those of the identity.
fn keep_diagonal(problem: Problem, position: u32, found: array<real, 8>) {
    let place = place_at(position);
    let counts = position < params.blocks * 8u && place < params.n;
    var eight: array<real, 8>;
    for (var e = 0u; e < EIGHT; e++) { // unroll
        let column = position / 8u * 8u + e;
        let inside = counts && column < position && place_at(column) < params.n;
        eight[e] = select(real(0.0), found[e], inside);
        if (column == position) {
            eight[e] = diagonal_entry(found[e], counts, problem, place, position);
        }
    }
    for (var e = 0u; e < EIGHT_UNITS; e++) { // unroll
        var some: unit;
        for (var u = 0u; u < UNIT; u++) { // unroll
            some[u] = eight[e * UNIT + u];
        }
        diagonals[position * DIAGONAL + e] = some;
    }
}

// SingleRight-hand sides of a row.
struct SingleRight {
    a: array<real, COLUMNS>,
}

fn single_right(problem: Problem, position: u32) -> SingleRight {
    var b: SingleRight;
    if (position < params.blocks * 8u) {
        let place = place_at(position);
        for (var c = 0u; c < COLUMNS; c++) { // unroll
            if (place < params.n) {
                b.a[c] = rhs[vector_index(problem, c, place)];
            }
        }
    }
    return b;
}

// Where the units of a step's eight numbers of a single_right-hand side lie.
fn eight_at(step: u32, c: u32) -> u32 {
    return ((step % 2u) * COLUMNS + c) * EIGHT_UNITS;
}

fn eight_left(step: u32, c: u32) -> array<real, 8> {
    var eight: array<real, 8>;
    for (var e = 0u; e < EIGHT_UNITS; e++) { // unroll
        let some = left[eight_at(step, c) + e];
        for (var u = 0u; u < UNIT; u++) { // unroll
            eight[e * UNIT + u] = some[u];
        }
    }
    return eight;
}

fn eight_unknowns(step: u32, c: u32) -> array<real, 8> {
    var eight: array<real, 8>;
    for (var e = 0u; e < EIGHT_UNITS; e++) { // unroll
        let some = unknowns[eight_at(step, c) + e];
        for (var u = 0u; u < UNIT; u++) { // unroll
            eight[e * UNIT + u] = some[u];
        }
    }
    return eight;
}

fn tell_left(position: u32, c: u32, value: real) {
    let i = position % 8u;
    left[eight_at(position / 8u, c) + i / UNIT][i % UNIT] = value;
}

fn less_eight(factors: array<real, 8>, values: array<real, 8>, rest: real) -> real {
    var two = vec2<real>(rest, 0.0);
    for (var f = 0u; f < EIGHT; f++) { // unroll
        two[f % 2u] = fma(-factors[f], values[f], two[f % 2u]);
    }
    return two.x + two.y;
}

// What a row's first thread has of its own.
struct SingleRow {
    // Entries of the two steps before its chunk's, and of its chunk's steps.
    near: array<real, NEAR>,
    rest: SingleRight,
    found: SingleRight,
}

fn near_eight(row: SingleRow, at: u32) -> array<real, 8> {
    var eight: array<real, 8>;
    for (var f = 0u; f < EIGHT; f++) { // unroll
        eight[f] = row.near[at * 8u + f];
    }
    return eight;
}

// For the workgroup.
fn begin(problem: Problem, t: u32) -> SingleRow {
    let position = t % ROWS;
    let own = position / 8u;
    let first = position / CHUNK * CHUNK_STEPS;
    var row: SingleRow;
    if (t == 0u) {
        extreme = 0u;
    }
    for (var i = t; i < ALL_SUMS; i += THREADS) {
        sums[i] = 0.0;
    }
    var diagonal: array<real, 8>;
    if (t < ROWS) {
        row.rest = single_right(problem, position);
        for (var at = 0u; at < NEAR_STEPS; at++) { // unroll
            let step = first + at;
            // Of steps that are not before its own a row has nothing to subtract_single.
            let found = eight_entries(problem, position, clamp(step, 2u, own + 2u) - 2u);
            for (var f = 0u; f < EIGHT; f++) { // unroll
                row.near[at * 8u + f] = select(real(0.0), found[f], step >= 2u && step < own + 2u);
                diagonal[f] = select(diagonal[f], found[f], step == own + 2u);
            }
        }
    }
    workgroupBarrier();
    if (t < ROWS) {
        keep_diagonal(problem, position, diagonal);
    }
    if (t < 8u) {
        for (var c = 0u; c < COLUMNS; c++) { // unroll
            tell_left(t, c, row.rest.a[c]);
        }
    }
    workgroupBarrier();
    return row;
}

// Whether a chunk solves a step.
fn is_near(chunk: u32, step: u32) -> bool {
    return (step + 1u) / CHUNK_STEPS == chunk || step / CHUNK_STEPS == chunk;
}

// A step, by the first threads of the rows of its chunk.
fn solve_step(position: u32, step: u32, given_row: SingleRow, divided: bool) -> SingleRow {
    var row = given_row;
    let own = position / 8u;
    let first = position / CHUNK * CHUNK_STEPS;
    // Picked instead of branched for, which takes longer.
    var factors: array<real, 8>;
    for (var at = 0u; at < NEAR_STEPS; at++) { // unroll
        for (var f = 0u; f < EIGHT; f++) { // unroll
            factors[f] = select(factors[f], row.near[at * 8u + f], at + first == step + 2u);
        }
    }
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        let given = eight_left(step, c);
        if (step + 1u == first) {
            for (var part = 1u; part < PARTS; part++) {
                row.rest.a[c] += sums[(part * COLUMNS + c) * ROWS + position];
            }
            if (step > 0u) {
                row.rest.a[c] = less_eight(near_eight(row, 0u), eight_unknowns(step - 1u, c), row.rest.a[c]);
            }
        }
        let z = eight_solved(step, given, divided);
        row.rest.a[c] = less_eight(factors, z, row.rest.a[c]);
        if (own == step + 1u) {
            tell_left(position, c, row.rest.a[c]);
        }
        if (own == step) {
            for (var e = 0u; e < EIGHT; e++) { // unroll
                row.found.a[c] = select(row.found.a[c], z[e], e == position % 8u);
            }
            let i = position % 8u;
            unknowns[eight_at(step, c) + i / UNIT][i % UNIT] = row.found.a[c];
        }
    }
    return row;
}

// What is left of a row's single_right-hand sides when a step's unknowns are known.
fn subtract_single(step: u32, factors: array<real, 8>, rest: SingleRight) -> SingleRight {
    var less = rest;
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        less.a[c] = less_eight(factors, eight_unknowns(step, c), less.a[c]);
    }
    return less;
}

fn put_single(problem: Problem, position: u32, found: SingleRight) {
    let place = place_at(position);
    if (position < params.blocks * 8u && place < params.n) {
        for (var c = 0u; c < COLUMNS; c++) { // unroll
            if (c < problem.count) {
                x[vector_index(problem, c, place)] = found.a[c];
                if (!is_finite(found.a[c])) {
                    report_result(row_number(problem, c), place);
                }
            }
        }
    }
}
