// role: kernel
import package::shared::status::report_result;
import super::block_row::{Right, Sums, left, rhs, subtract, x, xs};
import super::diagonal::{load_diagonal, solved, substitute};
import super::piece::load_piece;
import super::problem::{Problem, order, params, block_place, problem_of, row_number, vector_index};
import super::sizes::{BLOCK, COLUMNS, XS};
import roles::orientation::multiply;
import roles::real::{is_finite, real};

// Block rows one launch after the other (J. D. Hogg, "A fast dense triangular solve in CUDA", 2013, section 3,
// launch-synchronized): nothing is asked of the device but that launches keep their order. The first workgroup of
// a system solves the launch's block rows; the others subtract from theirs what the launch before has solved.

// From the launch's first block row on, the block_right-hand sides lie in x: those of the first two launches are the caller's.
fn block_right(t: u32, problem: Problem, place: u32) -> Right {
    var b: Right;
    let i = place * BLOCK + t;
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        if (t < BLOCK && i < params.n) {
            let at = vector_index(problem, c, i);
            if (params.launch < 2u) {
                b.a[c] = rhs[at];
            } else {
                b.a[c] = x[at];
            }
        }
    }
    return b;
}

// What a block row has to do with the solved block rows from turn `first` up to `end`.
fn sum_up(t: u32, problem: Problem, place: u32, first: u32, end: u32) -> Sums {
    var sums: Sums;
    for (var turn = first; turn < end; turn++) {
        let column = block_place(turn);
        let piece = load_piece(t, problem.system, place, column);
        for (var c = 0u; c < COLUMNS; c++) {
            if (t < BLOCK) {
                let row = min(column * BLOCK + t, params.n - 1u);
                xs[c * XS + t] = select(real(0.0), x[vector_index(problem, c, row)], column * BLOCK + t < params.n);
            }
        }
        workgroupBarrier();
        sums = multiply(t, piece, 0u, sums);
        workgroupBarrier();
    }
    return sums;
}

fn put_block(t: u32, problem: Problem, place: u32, c: u32, value: real) {
    let i = place * BLOCK + t;
    if (t < BLOCK && i < params.n && c < problem.count) {
        x[vector_index(problem, c, i)] = value;
    }
}

fn run(w: u32, t: u32) {
    let problem = problem_of(w % params.problems);
    let share = w / params.problems;
    let first = params.launch * params.rows_each;
    let before = first - min(first, params.rows_each);
    if (share > 0u) {
        let place = block_place(first + params.rows_each - 1u + share);
        let b = block_right(t, problem, place);
        let sums = sum_up(t, problem, place, before, first);
        subtract(t, place, b, sums);
        for (var c = 0u; c < COLUMNS; c++) {
            if (t < BLOCK) {
                put_block(t, problem, place, c, left[c * BLOCK + order(t)]);
            }
        }
        return;
    }
    for (var row = first; row < min(first + params.rows_each, params.blocks); row++) {
        let place = block_place(row);
        let b = block_right(t, problem, place);
        load_diagonal(t, problem, place);
        let sums = sum_up(t, problem, place, before, row);
        subtract(t, place, b, sums);
        for (var c = 0u; c < COLUMNS; c++) {
            substitute(t, c);
            if (t < BLOCK) {
                let value = solved[order(t)];
                put_block(t, problem, place, c, value);
                let i = place * BLOCK + t;
                if (i < params.n && c < problem.count && !is_finite(value)) {
                    report_result(row_number(problem, c), i);
                }
            }
            // Before the next block rows read them.
            storageBarrier();
            workgroupBarrier();
        }
    }
}
