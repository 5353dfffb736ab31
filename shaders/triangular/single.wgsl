// A system in one workgroup (J. D. Hogg, "A fast dense triangular solve in CUDA", 2013, section 2): a thread, or several,
// for each row, by its position in the order in which rows are solved. Eight rows are a step.
//
// A step takes one barrier: its unknowns are computed by its own rows' threads and, so that they need not be told, by
// those of the next step, each for itself. The others learn of them while the next step is solved.

// A row's own eight entries, in units of 16 bytes. One unit more, so that rows lie in different banks.
const DIAGONAL: u32 = EIGHT_UNITS + 1u;
var<workgroup> diagonals: array<unit, ROWS * DIAGONAL>;
// Of every other step, what is left of its right-hand sides, and its unknowns.
var<workgroup> left: array<real, EIGHTS>;
var<workgroup> unknowns: array<real, EIGHTS>;
// Of every other step, what those of a row's threads that do not solve have summed up.
var<workgroup> sums: array<real, ALL_SUMS>;

@group(0) @binding(3) var<storage, INPUT_ACCESS> rhs: array<real>;
@group(0) @binding(6) var<storage, read_write> x: array<real>;

// Where a position's row lies.
fn place_at(position: u32) -> u32 {
    return place_of(position / 8u) * 8u + order(position % 8u);
}

// The entries of a row at the eight columns of a step, whatever lies there, but 0 of unknowns that are not there.
fn eight_entries(problem: Problem, position: u32, step: u32) -> array<real, 8> {
    let last = params.n - 1u;
    let row = min(place_at(min(position, params.blocks * 8u - 1u)), last);
    let column = place_of(min(step, params.blocks - 1u)) * 8u;
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

// Right-hand sides of a row.
struct Right {
    a: array<real, COLUMNS>,
}

fn right(problem: Problem, position: u32) -> Right {
    var b: Right;
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

// Where a step's eight numbers of a right-hand side lie.
fn eight_at(step: u32, c: u32) -> u32 {
    return ((step % 2u) * COLUMNS + c) * 8u;
}

fn sums_at(step: u32, part: u32, c: u32) -> u32 {
    return (((step % 2u) * PARTS + part) * COLUMNS + c) * 8u;
}

// What a row has to begin with.
struct Row {
    // Entries of the two steps before its own.
    before: array<real, 8>,
    next: array<real, 8>,
    rest: Right,
}

// For the workgroup, with `rest` of those threads that solve.
fn begin(problem: Problem, t: u32) -> Row {
    let position = t % ROWS;
    let own = position / 8u;
    var row: Row;
    if (t == 0u) {
        extreme = 0u;
    }
    for (var i = t; i < EIGHTS; i += WORKGROUP) {
        unknowns[i] = 0.0;
    }
    for (var i = t; i < ALL_SUMS; i += WORKGROUP) {
        sums[i] = 0.0;
    }
    var diagonal: array<real, 8>;
    if (t < ROWS) {
        diagonal = eight_entries(problem, position, own);
        row.rest = right(problem, position);
        if (own > 0u) {
            row.next = eight_entries(problem, position, own - 1u);
        }
        if (own > 1u) {
            row.before = eight_entries(problem, position, own - 2u);
        }
    }
    workgroupBarrier();
    if (t < ROWS) {
        keep_diagonal(problem, position, diagonal);
    }
    if (t < 8u) {
        for (var c = 0u; c < COLUMNS; c++) { // unroll
            left[eight_at(0u, c) + t] = row.rest.a[c];
        }
    }
    workgroupBarrier();
    return row;
}

// A step, by the threads of its rows and the next one's, the first of each row.
fn solve_step(problem: Problem, position: u32, step: u32, row: Row, divided: bool) {
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        var given: array<real, 8>;
        for (var e = 0u; e < EIGHT; e++) { // unroll
            given[e] = left[eight_at(step, c) + e];
        }
        // What is left to subtract of the step before.
        var rest = row.rest.a[c];
        for (var part = 1u; part < PARTS; part++) {
            rest += sums[sums_at(step, part, c) + position % 8u];
        }
        for (var f = 0u; f < EIGHT; f++) { // unroll
            rest = fma(-row.before[f], unknowns[eight_at(step + 1u, c) + f], rest);
        }
        let z = eight_solved(step, given, divided);
        if (position / 8u == step) {
            var value = z[0];
            for (var e = 0u; e < EIGHT; e++) { // unroll
                value = select(value, z[e], e == position % 8u);
            }
            unknowns[eight_at(step, c) + position % 8u] = value;
            let place = place_at(position);
            if (c < problem.count && place < params.n) {
                x[vector_index(problem, c, place)] = value;
                if (!is_finite(value)) {
                    report_result(row_number(problem, c), place);
                }
            }
        } else {
            var two = vec2<real>(rest, 0.0);
            for (var f = 0u; f < EIGHT; f++) { // unroll
                two[f % 2u] = fma(-row.next[f], z[f], two[f % 2u]);
            }
            left[eight_at(step + 1u, c) + position % 8u] = two.x + two.y;
        }
    }
}

// What is left of a row's right-hand sides when a step's unknowns are known.
fn subtract(step: u32, factors: array<real, 8>, rest: Right) -> Right {
    var less = rest;
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        for (var f = 0u; f < EIGHT; f++) { // unroll
            less.a[c] = fma(-factors[f], unknowns[eight_at(step, c) + f], less.a[c]);
        }
    }
    return less;
}
