import super::block_row::{Right, Sums, x};
import super::piece::{Piece, load_piece};
import super::problem::{Problem, block_place, params, vector_index};
import super::sizes::{AT_ONCE, BLOCK, COLUMNS};
import roles::orientation::multiply;
import roles::real::real;

// A block row's right-hand sides, as far as they are reduced.
fn reduced_right(t: u32, problem: Problem, place: u32) -> Right {
    var b: Right;
    let i = place * BLOCK + t;
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        if (t < BLOCK && i < params.n) {
            b.a[c] = x[vector_index(problem, c, i)];
        }
    }
    return b;
}

// The block row at a place times the solved block rows of turns `first` to `end`, which lie in `xs`. Several blocks are loaded at once.
fn products(t: u32, problem: Problem, place: u32, first: u32, end: u32) -> Sums {
    var sums: Sums;
    for (var turn = first; turn < end; turn += AT_ONCE) {
        var pieces: array<Piece, AT_ONCE>;
        for (var k = 0u; k < AT_ONCE; k++) { // unroll
            pieces[k] = load_piece(t, problem.system, place, block_place(min(turn + k, end - 1u)));
        }
        for (var k = 0u; k < AT_ONCE; k++) { // unroll
            if (turn + k < end) {
                sums = multiply(t, pieces[k], (turn + k - first) * BLOCK, sums);
            }
        }
    }
    return sums;
}

fn put_block(t: u32, problem: Problem, place: u32, c: u32, value: real) {
    let i = place * BLOCK + t;
    if (t < BLOCK && i < params.n && c < problem.count) {
        x[vector_index(problem, c, i)] = value;
    }
}
