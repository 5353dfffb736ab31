// role: kernel
import package::shared::status::report_result;
import super::eight::{diagonal_entry, divided_by_extreme, extreme, reciprocal};
import super::problem::{ACROSS, Problem, REVERSED, block_place, order, params, problem_of, row_number, vector_index};
import super::sizes::{COLUMNS, FOUR, THREADS, WIDTH};
import roles::real::{is_finite, real, real4};
import roles::tile_entries::{first_entries, share_entries, share_later_entries, subtracted};
import roles::triangle::{entry_of, load};

// One workgroup solves up to COLUMNS right-hand sides of one system by substitution. A thread holds RUNS tiles of four rows and four right-hand sides in
// registers. In each turn, a thread per right-hand side solves a block of 16 rows in workgroup memory. All threads subtract the products with its unknowns from their
// tiles of later rows. Threads of neighbouring rows lie side by side: they read neighbouring entries of the matrix and the same unknowns.

const ROWS_OF_BLOCK: u32 = 16u;
// Blocks of 16 rows in a run of tiles.
const SPANS = 0u; // set by Rust
// Tiles of a thread.
const RUNS = 0u; // set by Rust
// Always 16: the bound of a loop that is written out.
const SIXTEEN = 0u; // set by Rust
// Loads per four entries.
const FOUR_LOADS = 0u; // set by Rust
// Fours of entries of a diagonal block per thread.
const SHARED_OUT = 0u; // set by Rust

// Fours of rows in a run.
const FOURS_OF_RUN: u32 = 4u * SPANS;

// Four numbers each of four right-hand sides, or entries of four columns or rows.
struct FourByFour {
    a: array<real4, FOUR>,
}

// What is left of the right-hand sides of a block, then its unknowns: four rows of a right-hand side per entry, those of the first four rows first. Turns use the
// two halves alternately: some threads still read the unknowns of a turn when others write what is left for the next.
const BLOCK_FOURS: u32 = 4u * COLUMNS;
const EXCHANGED = 0u; // set by Rust
var<workgroup> exchanged: array<real4, EXCHANGED>;
// A diagonal block, column by column, in the order in which they are solved: zeros on and above the diagonal.
var<workgroup> below_diagonal: array<real4, 64>;
var<workgroup> diagonal_of: array<real, ROWS_OF_BLOCK>;

// Loads four adjacent entries, in the order in which rows are solved. Entries past the last row may be padding.
fn four_entries(system: u32, along: u32, over: u32) -> real4 {
    let last = params.n - 1u;
    let base = system * params.matrix_stride + min(over, last) * params.lda;
    var found: real4;
    for (var k = 0u; k < FOUR_LOADS; k++) { // unroll
        let value = load(base + min(along + k * WIDTH, last / WIDTH * WIDTH));
        for (var e = 0u; e < WIDTH; e++) { // unroll
            found[k * WIDTH + e] = entry_of(value, e);
        }
    }
    return select(found, found.wzyx, REVERSED);
}

// The place of four neighbouring rows or columns of a turn's block; `first` is the number of the first.
fn four_place(turn: u32, first: u32) -> u32 {
    return block_place(turn) * ROWS_OF_BLOCK + select(first, ROWS_OF_BLOCK - 4u - first, REVERSED);
}

// Which of the four columns from `along` on exist, in the order in which rows are solved.
fn four_inside(along: u32) -> vec4<bool> {
    let places = vec4<u32>(0u, 1u, 2u, 3u) + along;
    return select(places, places.wzyx, REVERSED) < vec4<u32>(params.n);
}

// The row with this number in the block of a turn.
fn turn_row(turn: u32, number: u32) -> u32 {
    return block_place(turn) * ROWS_OF_BLOCK + order(number);
}

// The tile less the products of entries with the unknowns 4 u to 4 u + 3 of four right-hand sides; entries of four rows, column by column.
fn reduced(given: FourByFour, entries: FourByFour, half: u32, u: u32, first_column: u32) -> FourByFour {
    var tile = given;
    var unknowns: FourByFour;
    for (var c = 0u; c < FOUR; c++) { // unroll
        unknowns.a[c] = exchanged[half + u * COLUMNS + first_column + c];
    }
    for (var j = 0u; j < FOUR; j++) { // unroll
        for (var c = 0u; c < FOUR; c++) { // unroll
            tile.a[c] = fma(-entries.a[j], real4(unknowns.a[c][j]), tile.a[c]);
        }
    }
    return tile;
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

// Solves a block for one right-hand side, in workgroup memory.
fn solve_shared_block(half: u32, c: u32) {
    let divided = extreme != 0u;
    var found: FourByFour;
    var rest: FourByFour;
    for (var u = 0u; u < FOUR; u++) { // unroll
        rest.a[u] = exchanged[half + u * COLUMNS + c];
    }
    for (var e = 0u; e < SIXTEEN; e++) { // unroll
        var value = rest.a[e / 4u][e % 4u];
        if (divided) {
            value = divided_by_extreme(value, diagonal_of[e]);
        } else {
            value *= reciprocal[e];
        }
        for (var u = 0u; u < FOUR; u++) { // unroll
            if (u >= e / 4u) {
                rest.a[u] = fma(-below_diagonal[e * 4u + u], real4(value), rest.a[u]);
            }
        }
        found.a[e / 4u][e % 4u] = value;
    }
    for (var u = 0u; u < FOUR; u++) { // unroll
        exchanged[half + u * COLUMNS + c] = found.a[u];
    }
}

@group(0) @binding(3) var<storage, read> rhs: array<real>; // input
@group(0) @binding(6) var<storage, read_write> x: array<real>;

fn load_tile(problem: Problem, group: u32, first_column: u32) -> FourByFour {
    var tile: FourByFour;
    for (var e = 0u; e < FOUR; e++) { // unroll
        let row = turn_row(group / 4u, group % 4u * 4u + e);
        if (group / 4u < params.blocks && row < params.n) {
            for (var c = 0u; c < FOUR; c++) { // unroll
                tile.a[c][e] = rhs[vector_index(problem, first_column + c, row)];
            }
        }
    }
    return tile;
}

fn store_tile(problem: Problem, group: u32, first_column: u32, tile: FourByFour) {
    for (var e = 0u; e < FOUR; e++) { // unroll
        let row = turn_row(group / 4u, group % 4u * 4u + e);
        if (group / 4u < params.blocks && row < params.n) {
            for (var c = 0u; c < FOUR; c++) { // unroll
                if (first_column + c < problem.count) {
                    x[vector_index(problem, first_column + c, row)] = tile.a[c][e];
                    if (!is_finite(tile.a[c][e])) {
                        report_result(row_number(problem, first_column + c), row);
                    }
                }
            }
        }
    }
}

fn run(w: u32, t: u32) {
    let problem = problem_of(w);
    let own_group = t % FOURS_OF_RUN;
    let first_column = t / FOURS_OF_RUN * 4u;
    var tiles: array<FourByFour, RUNS>;
    for (var run_ = 0u; run_ < RUNS; run_++) { // unroll
        tiles[run_] = load_tile(problem, run_ * FOURS_OF_RUN + own_group, first_column);
    }
    var diagonal = diagonal_entries(problem, 0u, t);
    if (t == 0u) {
        extreme = 0u;
    }
    workgroupBarrier();
    for (var own = 0u; own < RUNS; own++) { // unroll
        for (var turn = own * SPANS; turn < min((own + 1u) * SPANS, params.blocks); turn++) {
            let half = turn % 2u * BLOCK_FOURS;
            put_diagonal(problem, turn, t, diagonal);
            let is_own = own_group / 4u == turn % SPANS;
            if (is_own) {
                for (var c = 0u; c < FOUR; c++) { // unroll
                    exchanged[half + own_group % 4u * COLUMNS + first_column + c] = tiles[own].a[c];
                }
            }
            // Before they are needed.
            diagonal = diagonal_entries(problem, turn + 1u, t);
            var ahead = first_entries(problem, own, turn, t);
            workgroupBarrier();
            share_entries(ahead, t);
            if (t < COLUMNS) {
                solve_shared_block(half, t);
            }
            workgroupBarrier();
            if (is_own) {
                for (var c = 0u; c < FOUR; c++) { // unroll
                    tiles[own].a[c] = exchanged[half + own_group % 4u * COLUMNS + first_column + c];
                }
            }
            for (var other = 0u; other < RUNS; other++) { // unroll
                if (other > own) {
                    ahead = first_entries(problem, other, turn, t);
                    share_later_entries(ahead, t);
                }
                let group = other * FOURS_OF_RUN + own_group;
                if (other >= own && group / 4u > turn && group / 4u < params.blocks) {
                    tiles[other] = subtracted(problem, tiles[other], ahead, vec3<u32>(group, turn, half), first_column);
                }
            }
        }
    }
    for (var run_ = 0u; run_ < RUNS; run_++) { // unroll
        store_tile(problem, run_ * FOURS_OF_RUN + own_group, first_column, tiles[run_]);
    }
}
