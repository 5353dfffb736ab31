// role: solve_chunk
import package::shared::order::{as_they_lie, place_of, start_of};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import package::shared::status::{report_input, report_result};
import super::moebius_chunk::{MoebiusRow, balanced, behind_row};
import super::map::{is_proper, quotient};
import roles::chunk_rows::Rows;
import roles::map::Value;
import roles::moebius_rows::moebius_row_at;
import roles::real::{all_finite, real, real4};
import roles::store::{store_row, store_rows};

// The values of a chunk, from the one before it.
fn solve_chunk(problem: u32, chunk: u32, rows: Rows, before: Value, owned: bool) {
    let start = start_of(chunk);
    var values: array<real, ROWS>;
    var v = before;
    for (var i = 0u; i < ROWS; i++) { // unroll
        v = behind_row(balanced(MoebiusRow(rows.a[i], rows.b[i], rows.c[i], rows.d[i])), v).v;
        values[i] = quotient(v);
    }
    if (is_proper(v)) {
        store_rows(problem, start, as_they_lie(values), owned);
        return;
    }
    // Who stands in for nobody may find rows overwritten already.
    if (!owned) {
        return;
    }
    // Says what spoilt the values. Rare, so it reads the rows again, each before its value is written.
    v = before;
    for (var i = 0u; i < ROWS; i++) {
        let at = start + place_of(i);
        if (at < params.n) {
            let row = moebius_row_at(problem, at);
            if (!all_finite(real4(row.a, row.b, row.c, row.d))) {
                report_input(problem, at);
            }
            v = behind_row(balanced(row), v).v;
            if (!is_proper(v)) {
                report_result(problem, at);
            }
            store_row(problem, at, quotient(v));
        }
    }
}
