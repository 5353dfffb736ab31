// role: solve_chunk
import package::shared::order::start_of;
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import package::shared::status::{report_input, report_result};
import super::equation::equation;
import super::equations::equation_is_finite;
import super::scan_matrix::matrix_at;
import roles::chunk_rows::Rows;
import roles::map::Value;
import roles::real::{is_finite, real};
import roles::store::store_rows;

// The pivots of a chunk's rows, with the signs of the diagonal, from the point before them. |q| and 1 - |q| are brought to
// a sum of 1 in each row, by the pivot.
fn solve_chunk(system: u32, chunk: u32, rows: Rows, before: Value, owned: bool) {
    let start = start_of(chunk);
    let sum = before.x + before.y;
    var size_q = before.x / sum;
    var rest = before.y / sum;
    var sound = true;
    var values: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let kept = rows.c[i] * size_q + rows.d[i] * rest;
        let size = rows.a[i] + kept;
        sound = sound && (start + i >= params.n || (is_finite(size) && size != 0.0));
        size_q = rows.a[i] / size;
        rest = kept / size;
        values[i] = select(size, -size, (rows.negative & (1u << i)) != 0u);
    }
    if (!sound) {
        report_matrix(system, start);
    }
    store_rows(system, start, values, owned);
}

// Says what spoilt a pivot of these rows: inputs, or the elimination. Rare, so it reads the rows again. Of the problems of
// a system the first stands for all.
fn report_matrix(system: u32, start: u32) {
    var sound = true;
    for (var row = start; row < min(start + ROWS, params.n); row++) {
        let it = matrix_at(system, row);
        if (!equation_is_finite(equation(it.a, it.b, it.c, 0.0))) {
            report_input(system, row);
            sound = false;
        }
    }
    if (sound) {
        report_result(system, start);
    }
}
