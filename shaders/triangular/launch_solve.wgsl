// role: kernel
import package::shared::status::report_result;
import super::block_row::{subtract, xs};
import super::diagonal::{load_diagonal, solved, substitute};
import super::inverse::{Inverse, apply_inverse, sum_of_parts};
import super::inverse_layout::{inverse_entry, inverse_is_usable};
import super::launch_products::{products, put_block, reduced_right};
import super::problem::{block_place, is_subtracted, order, params, problem_of, products_end, row_number};
import super::sizes::{BLOCK, COLUMNS, SPAN_ENTRIES, XS};
import roles::real::{is_finite, real};

// Solves the block rows of a step, a workgroup per problem (J. D. Hogg, "A fast dense triangular solve in CUDA", 2013, section 3,
// launch-synchronized, with the inverses of section 4). Blocks whose inverse would lose digits are solved by substitution.
@group(0) @binding(7) var<storage, read> inverses: array<real>;

fn run(w: u32, t: u32) {
    let problem = problem_of(w);
    let first = params.launch * params.rows_each;
    for (var row = first; row < min(first + params.rows_each, params.blocks); row++) {
        let place = block_place(row);
        var inverse: Inverse;
        for (var k = 0u; k < SPAN_ENTRIES; k++) { // unroll
            inverse.x[k] = inverses[inverse_entry(problem.system, place, t, k)];
        }
        let inverted = inverses[inverse_is_usable(problem.system, place)] != 0.0;
        if (!inverted) {
            load_diagonal(t, problem, place);
        }
        let b = reduced_right(t, problem, place);
        let sums = products(t, problem, place, first, products_end(row));
        subtract(t, place, b, sums);
        for (var c = 0u; c < COLUMNS; c++) {
            if (inverted) {
                apply_inverse(t, c, inverse);
            } else {
                substitute(t, c);
            }
            if (t < BLOCK) {
                let i = place * BLOCK + t;
                var value = real(0.0);
                if (inverted) {
                    value = sum_of_parts(order(t));
                } else {
                    value = solved[order(t)];
                }
                put_block(t, problem, place, c, value);
                if (i < params.n && c < problem.count && !is_finite(value)) {
                    report_result(row_number(problem, c), i);
                }
                xs[c * XS + (row - first) * BLOCK + t] = select(real(0.0), value, i < params.n && is_subtracted(i));
            }
            // Before the next column or block row.
            workgroupBarrier();
        }
    }
}
