// role: kernel
import super::block_row::{left, subtract, x, xs};
import super::launch_products::{products, put_block, reduced_right};
import super::problem::{block_place, is_subtracted, order, params, problem_of, vector_index};
import super::sizes::{BLOCK, COLUMNS, THREADS, XS};
import roles::real::real;

// Subtracts the solved block rows of a step from all later ones, a workgroup per block row: a matrix-vector product.
fn run(w: u32, t: u32) {
    let problem = problem_of(w % params.problems);
    let first = params.launch * params.rows_each;
    let end = first + params.rows_each;
    let place = block_place(end + w / params.problems);
    for (var c = 0u; c < COLUMNS; c++) {
        for (var i = t; i < params.rows_each * BLOCK; i += THREADS) {
            let row = block_place(first + i / BLOCK) * BLOCK + i % BLOCK;
            let counts = row < params.n && is_subtracted(row);
            xs[c * XS + i] = select(real(0.0), x[vector_index(problem, c, min(row, params.n - 1u))], counts);
        }
    }
    let b = reduced_right(t, problem, place);
    workgroupBarrier();
    let sums = products(t, problem, place, first, end);
    subtract(t, place, b, sums);
    for (var c = 0u; c < COLUMNS; c++) {
        if (t < BLOCK) {
            put_block(t, problem, place, c, left[c * BLOCK + order(t)]);
        }
    }
}
