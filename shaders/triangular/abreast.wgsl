// role: kernel
import package::shared::status::report_result;
import super::eight::{diagonal_entry, divided_by_extreme, extreme, reciprocal};
import super::problem::{ACROSS, Problem, REVERSED, block_place, order, params, problem_of, row_number, vector_index};
import super::sizes::{COLUMNS, FOUR, THREADS, WIDTH};
import roles::real::{is_finite, real, real4};
import roles::triangle::{entry_of, load};

// One workgroup solves up to COLUMNS right-hand sides of one system by substitution. A thread holds RUNS blocks of 16 rows of one right-hand side in
// registers. In each turn, the threads of one block solve it, and publish its unknowns in workgroup memory. Threads of the same blocks lie side by side:
// they read the same entries of the matrix.

const ROWS_OF_BLOCK: u32 = 16u;
// Threads per right-hand side: block row k belongs to thread k % SPANS.
const SPANS = 0u; // set by Rust
// Blocks of a thread.
const RUNS = 0u; // set by Rust
// Always 16: the bound of a loop that is written out.
const SIXTEEN = 0u; // set by Rust
// Loads per four entries.
const FOUR_LOADS = 0u; // set by Rust
// Fours of entries of a diagonal block per thread.
const SHARED_OUT = 0u; // set by Rust

// The rows of a block, in the order in which they are solved.
struct BlockRows {
    a: array<real4, FOUR>,
}

// Rows that lie together in memory, one right-hand side after the other; then the unknowns of a block, row by row. Each right-hand side is padded by one
// number, so that neighbouring threads access different banks.
const TOGETHER: u32 = SPANS * ROWS_OF_BLOCK;
const EXCHANGED = 0u; // set by Rust
var<workgroup> exchanged: array<real, EXCHANGED>;
// A diagonal block, column by column, in the order in which they are solved: zeros on and above the diagonal.
var<workgroup> below_diagonal: array<real4, 64>;
var<workgroup> diagonal_of: array<real, ROWS_OF_BLOCK>;

// The row at place i of the rows that lie together: where it lies, or past the last row.
fn row_together(run: u32, i: u32) -> u32 {
    let turn = run * SPANS + i / ROWS_OF_BLOCK;
    return select(params.n, block_place(turn) * ROWS_OF_BLOCK + i % ROWS_OF_BLOCK, turn < params.blocks);
}

// Reads the right-hand sides of the blocks of a run, in all threads.
fn load_rhs(problem: Problem, run: u32, t: u32) -> BlockRows {
    for (var at = t; at < TOGETHER * COLUMNS; at += THREADS) {
        let row = row_together(run, at % TOGETHER);
        var value = real(0.0);
        if (row < params.n) {
            value = rhs[vector_index(problem, at / TOGETHER, row)];
        }
        exchanged[at / TOGETHER * (TOGETHER + 1u) + at % TOGETHER] = value;
    }
    workgroupBarrier();
    let first = t % COLUMNS * (TOGETHER + 1u) + t / COLUMNS * ROWS_OF_BLOCK;
    var rows: BlockRows;
    for (var u = 0u; u < FOUR; u++) { // unroll
        for (var e = 0u; e < FOUR; e++) { // unroll
            rows.a[u][e] = exchanged[first + order(4u * u + e)];
        }
    }
    workgroupBarrier();
    return rows;
}

// Writes the unknowns of the blocks of a run.
fn store_x(problem: Problem, run: u32, t: u32, rows: BlockRows) {
    let first = t % COLUMNS * (TOGETHER + 1u) + t / COLUMNS * ROWS_OF_BLOCK;
    for (var u = 0u; u < FOUR; u++) { // unroll
        for (var e = 0u; e < FOUR; e++) { // unroll
            exchanged[first + order(4u * u + e)] = rows.a[u][e];
        }
    }
    workgroupBarrier();
    for (var at = t; at < TOGETHER * COLUMNS; at += THREADS) {
        let c = at / TOGETHER;
        let row = row_together(run, at % TOGETHER);
        if (row < params.n && c < problem.count) {
            let value = exchanged[c * (TOGETHER + 1u) + at % TOGETHER];
            x[vector_index(problem, c, row)] = value;
            if (!is_finite(value)) {
                report_result(row_number(problem, c), row);
            }
        }
    }
    workgroupBarrier();
}

// Sixteen entries that lie along memory, whatever lies there, in the order in which rows are solved.
fn sixteen_entries(system: u32, along: u32, over: u32) -> BlockRows {
    let last = params.n - 1u;
    let base = system * params.matrix_stride + min(over, last) * params.lda;
    var found: BlockRows;
    for (var u = 0u; u < FOUR; u++) { // unroll
        for (var k = 0u; k < FOUR_LOADS; k++) { // unroll
            let value = load(base + min(along + 4u * u + k * WIDTH, last / WIDTH * WIDTH));
            for (var e = 0u; e < WIDTH; e++) { // unroll
                found.a[u][k * WIDTH + e] = entry_of(value, e);
            }
        }
    }
    var ordered: BlockRows;
    for (var u = 0u; u < FOUR; u++) { // unroll
        ordered.a[u] = select(found.a[u], found.a[3u - u].wzyx, REVERSED);
    }
    return ordered;
}

// A thread's entries of the diagonal block of a turn: fours of rows in a column, in the order in which they are solved.
struct DiagonalEntries {
    a: array<real4, SHARED_OUT>,
}

// Where an entry of the diagonal block lies: along memory, and over it.
fn diagonal_place(row: u32, column: u32) -> vec2<u32> {
    return select(vec2<u32>(order(row), order(column)), vec2<u32>(order(column), order(row)), ACROSS);
}

fn diagonal_entries(problem: Problem, turn: u32, t: u32) -> DiagonalEntries {
    let first = block_place(min(turn, params.blocks - 1u)) * ROWS_OF_BLOCK;
    var found: DiagonalEntries;
    for (var k = 0u; k < SHARED_OUT; k++) { // unroll
        let four = (k * THREADS + t) % 64u;
        for (var e = 0u; e < FOUR; e++) { // unroll
            let place = min(first + diagonal_place(four % 4u * 4u + e, four / 4u), vec2<u32>(params.n - 1u));
            let index = problem.system * params.matrix_stride + place.y * params.lda + place.x;
            found.a[k][e] = entry_of(load(index), index % WIDTH);
        }
    }
    return found;
}

fn put_diagonal(problem: Problem, turn: u32, t: u32, entries: DiagonalEntries) {
    let first = block_place(turn) * ROWS_OF_BLOCK;
    for (var k = 0u; k < SHARED_OUT; k++) { // unroll
        let four = k * THREADS + t;
        if (four < 64u) {
            let column = four / 4u;
            var below: real4;
            for (var e = 0u; e < FOUR; e++) { // unroll
                let row = four % 4u * 4u + e;
                let place = first + diagonal_place(row, column);
                let inside = max(place.x, place.y) < params.n;
                if (row == column) {
                    diagonal_of[row] = diagonal_entry(entries.a[k][e], inside, problem, place.x, row);
                } else if (row > column && inside) {
                    below[e] = entries.a[k][e];
                }
            }
            below_diagonal[four] = below;
        }
    }
}

// The unknowns of a block, from what is left of its right-hand sides.
fn solved_block(given: BlockRows) -> BlockRows {
    let divided = extreme != 0u;
    var rest = given;
    var found: BlockRows;
    for (var e = 0u; e < SIXTEEN; e++) { // unroll
        var value = rest.a[e / 4u][e % 4u];
        if (divided) {
            value = divided_by_extreme(value, diagonal_of[e]);
        } else {
            value *= reciprocal[e];
        }
        found.a[e / 4u][e % 4u] = value;
        for (var u = 0u; u < FOUR; u++) { // unroll
            if (u >= e / 4u) {
                rest.a[u] = fma(-below_diagonal[e * 4u + u], real4(value), rest.a[u]);
            }
        }
    }
    return found;
}

// Rows of the block at a place, less the products with the unknowns of the block at another, which lie in workgroup memory. Entries of four rows or columns
// are loaded together. The outer loops are not unrolled: software drivers would take minutes to compile them.
fn reduced_block(system: u32, place: u32, before: u32, c: u32, given: BlockRows) -> BlockRows {
    let row = place * ROWS_OF_BLOCK;
    let column = before * ROWS_OF_BLOCK;
    var rest = given;
    if (ACROSS) {
        var unknowns: BlockRows;
        for (var u = 0u; u < FOUR; u++) { // unroll
            for (var e = 0u; e < FOUR; e++) { // unroll
                unknowns.a[u][e] = exchanged[(4u * u + e) * COLUMNS + c];
            }
        }
        for (var i = 0u; i < 4u; i++) {
            var rows: array<BlockRows, FOUR>;
            for (var e = 0u; e < FOUR; e++) { // unroll
                rows[e] = sixteen_entries(system, column, row + order(4u * i + e));
            }
            var products: real4;
            for (var e = 0u; e < FOUR; e++) { // unroll
                if (column + ROWS_OF_BLOCK > params.n) {
                    rows[e] = within_columns(column, rows[e]);
                }
                var sum = real4();
                for (var u = 0u; u < FOUR; u++) { // unroll
                    sum = fma(rows[e].a[u], unknowns.a[u], sum);
                }
                products[e] = (sum.x + sum.y) + (sum.z + sum.w);
            }
            for (var u = 0u; u < FOUR; u++) { // unroll
                rest.a[u] -= select(real4(), products, vec4<bool>(u == i));
            }
        }
    } else {
        for (var i = 0u; i < 4u; i++) {
            var columns: array<BlockRows, FOUR>;
            for (var e = 0u; e < FOUR; e++) { // unroll
                columns[e] = sixteen_entries(system, row, column + order(4u * i + e));
            }
            for (var e = 0u; e < FOUR; e++) { // unroll
                let unknown = real4(exchanged[(4u * i + e) * COLUMNS + c]);
                for (var u = 0u; u < FOUR; u++) { // unroll
                    rest.a[u] = fma(-columns[e].a[u], unknown, rest.a[u]);
                }
            }
        }
    }
    return rest;
}

// Zeros for what lies behind the last column, which may be no number.
fn within_columns(column: u32, given: BlockRows) -> BlockRows {
    var entries = given;
    for (var u = 0u; u < FOUR; u++) { // unroll
        for (var e = 0u; e < FOUR; e++) { // unroll
            if (column + order(4u * u + e) >= params.n) {
                entries.a[u][e] = 0.0;
            }
        }
    }
    return entries;
}

@group(0) @binding(3) var<storage, read> rhs: array<real>; // input
@group(0) @binding(6) var<storage, read_write> x: array<real>;

fn run(w: u32, t: u32) {
    let problem = problem_of(w);
    let span = t / COLUMNS;
    let c = t % COLUMNS;
    var rows: array<BlockRows, RUNS>;
    for (var run_ = 0u; run_ < RUNS; run_++) { // unroll
        rows[run_] = load_rhs(problem, run_, t);
    }
    var entries = diagonal_entries(problem, 0u, t);
    if (t == 0u) {
        extreme = 0u;
    }
    workgroupBarrier();
    for (var own = 0u; own < RUNS; own++) { // unroll
        for (var turn = own * SPANS; turn < min((own + 1u) * SPANS, params.blocks); turn++) {
            put_diagonal(problem, turn, t, entries);
            workgroupBarrier();
            if (span == turn % SPANS) {
                rows[own] = solved_block(rows[own]);
                for (var e = 0u; e < SIXTEEN; e++) { // unroll
                    exchanged[e * COLUMNS + c] = rows[own].a[e / 4u][e % 4u];
                }
            }
            workgroupBarrier();
            entries = diagonal_entries(problem, turn + 1u, t);
            for (var other = 0u; other < RUNS; other++) { // unroll
                let later = other * SPANS + span;
                if (other >= own && later > turn && later < params.blocks) {
                    rows[other] = reduced_block(problem.system, block_place(later), block_place(turn), c, rows[other]);
                }
            }
        }
    }
    workgroupBarrier();
    for (var run_ = 0u; run_ < RUNS; run_++) { // unroll
        store_x(problem, run_, t, rows[run_]);
    }
}
