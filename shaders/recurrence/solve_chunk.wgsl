// role: solve_chunk
import package::shared::order::{as_they_lie, start_of};
import package::shared::sizes::ROWS;
import super::recurrence_rows::AffineRows;
import super::affine_values::{solve_rows, values_of};
import roles::real::{is_finite, real};
import roles::store::store_rows;

// The values of a chunk to where they belong.
fn solve_chunk(problem: u32, chunk: u32, rows: AffineRows, before: real, owned: bool) {
    let values = values_of(rows, before);
    if (is_finite(values[ROWS - 1u])) {
        store_rows(problem, start_of(chunk), as_they_lie(values), owned);
    } else if (owned) {
        // Who stands in for nobody may find rows overwritten already.
        solve_rows(problem, chunk, before);
    }
}
