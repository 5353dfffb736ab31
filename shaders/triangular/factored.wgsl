// role: kernel
import package::shared::status::report_result;
import super::factored_vectors::{copy_rhs_units, rhs_unit, vector_base, vectors};
import super::problem::{Problem, params, problem_of, row_number, row_place, vector_index};
import super::sizes::{BLOCK, COLUMNS, THREADS};
import super::tiles::{BLOCK_UNITS, TILE, TILES, reduced_tile, solved_tile, solved_units, system_tiles, units_before};
import roles::real::{UNIT, is_finite, real, unit};

// A launch of a factored solve. Launch k, one workgroup per tile, computes x_k = D_k^-1 r_k - (D_k^-1 A_k,k-1) x_k-1, and subtracts A_j,k-1 x_k-1 from
// each later r_j. r_k lacks only x_k-1, so a block row takes one launch.
//
// Launch 0 also copies the later right-hand sides to r. In place, x_0 would overwrite rows that other workgroups still read, so a separate launch copies
// all of them first.
@group(0) @binding(6) var<storage, read_write> x: array<real>;
@group(0) @binding(7) var<storage, read> tiles: array<unit>;

// Whether r has all right-hand sides.
override IS_COPIED: bool = false;
// Units that a thread loads at once.
const LOADS = 0u; // set by Rust
// Threads that share a row.
const PARTS: u32 = THREADS / TILE;
// Units of a row that a workgroup multiplies at once, and of vectors that it holds: twice, so that a step takes one barrier.
const AT_ONCE_UNITS: u32 = LOADS * PARTS;
const HELD = 0u; // set by Rust
var<workgroup> held: array<unit, HELD>;
var<workgroup> partial_sums: array<real, THREADS>;
var<workgroup> whole_sums: array<real, TILE>;

fn put_unknown(problem: Problem, c: u32, row: u32, value: real) {
    if (row < params.n && c < problem.count) {
        let place = row_place(row);
        x[vector_index(problem, c, place)] = value;
        if (!is_finite(value)) {
            report_result(row_number(problem, c), place);
        }
    }
}

// A unit of the vectors that a tile's units are multiplied by.
fn vector_unit(problem: Problem, number: u32, c: u32, u: u32) -> unit {
    let before = units_before(params.launch);
    if (u < before) {
        return vectors[vector_base(number, false) + ((params.launch - 1u) * BLOCK_UNITS + u) * COLUMNS + c];
    }
    let own = params.launch * BLOCK_UNITS + u - before;
    if (IS_COPIED || params.launch > 0u) {
        return vectors[vector_base(number, true) + own * COLUMNS + c];
    }
    return rhs_unit(problem, c, own);
}

fn run(w: u32, t: u32) {
    let number = w % params.problems;
    let problem = problem_of(number);
    let turn = params.launch;
    let work = w / params.problems;
    let reduced = select(0u, (params.blocks - 1u - turn) * TILES, turn > 0u);
    if (work >= TILES + reduced) {
        copy_rhs_units(problem, number, BLOCK_UNITS + (work - TILES - reduced) * THREADS + t);
        return;
    }
    let is_solved = work < TILES;
    let tile = select(work - TILES, work, is_solved);
    // Systems that share a matrix share its tiles.
    let system = select(problem.system, 0u, params.matrix_stride == 0u);
    let base = system_tiles(turn, system) + select(reduced_tile(turn, tile), solved_tile(turn, tile), is_solved);
    let count = select(BLOCK_UNITS, solved_units(turn, tile), is_solved);
    let row = t % TILE;
    let part = t / TILE;
    var sums: array<unit, COLUMNS>;
    var half = 0u;
    for (var first = 0u; first < count; first += AT_ONCE_UNITS) {
        // Loaded before the vectors are waited for.
        var numbers: array<unit, LOADS>;
        for (var k = 0u; k < LOADS; k++) { // unroll
            numbers[k] = tiles[base + min(first + k * PARTS + part, count - 1u) * TILE + row];
        }
        for (var at = t; at < AT_ONCE_UNITS * COLUMNS; at += THREADS) {
            let u = first + at / COLUMNS;
            var own: unit;
            if (u < count) {
                own = vector_unit(problem, number, at % COLUMNS, u);
            }
            held[half + at] = own;
        }
        workgroupBarrier();
        for (var k = 0u; k < LOADS; k++) { // unroll
            for (var c = 0u; c < COLUMNS; c++) { // unroll
                sums[c] = fma(numbers[k], held[half + (k * PARTS + part) * COLUMNS + c], sums[c]);
            }
        }
        half = AT_ONCE_UNITS * COLUMNS - half;
    }
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        var sum = real(0.0);
        for (var e = 0u; e < UNIT; e++) { // unroll
            sum += sums[c][e];
        }
        partial_sums[t] = sum;
        workgroupBarrier();
        let first_row = select((turn + 1u) * BLOCK, turn * BLOCK, is_solved) + tile * TILE;
        if (t < TILE) {
            var pair = vec2<real>();
            for (var s = 0u; s < PARTS; s += 2u) {
                pair += vec2<real>(partial_sums[s * TILE + t], partial_sums[(s + 1u) * TILE + t]);
            }
            whole_sums[t] = pair.x + pair.y;
            if (is_solved) {
                put_unknown(problem, c, first_row + t, whole_sums[t]);
            }
        }
        workgroupBarrier();
        // Whole units: a thread that writes a component of a vector may touch the others.
        if (t < TILE / UNIT) {
            var numbers: unit;
            for (var e = 0u; e < UNIT; e++) { // unroll
                numbers[e] = whole_sums[t * UNIT + e];
            }
            let at = vector_base(number, !is_solved) + (first_row / UNIT + t) * COLUMNS + c;
            if (is_solved) {
                vectors[at] = -numbers;
            } else {
                vectors[at] += numbers;
            }
        }
        workgroupBarrier();
    }
}
