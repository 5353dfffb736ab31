import package::shared::lead::lead;
import package::shared::order::{place_of, start_of};
import package::shared::problem::{params, rhs_base};
import package::shared::sizes::ROWS;
import super::recurrence_rows::{AffineRows, row_of};
import roles::affine_heads::{starts_sequence, value_before_head};
import roles::real::real;
import roles::row_check::check_row;
import roles::store::store_row;

// The values of a chunk in the order of its rows, from the one before it.
fn values_of(rows: AffineRows, before: real) -> array<real, ROWS> {
    var values: array<real, ROWS>;
    var value = before;
    for (var i = 0u; i < ROWS; i++) { // unroll
        value = rows.s[i] * value + rows.t[i];
        values[i] = value;
    }
    return values;
}

// The same row by row, read once more. What is not finite among the numbers, and what grows too large, stays so.
fn solve_rows(problem: u32, chunk: u32, before: real) {
    let start = start_of(chunk) - lead(rhs_base(problem));
    var value = before;
    for (var i = 0u; i < ROWS; i++) {
        let row = row_of(problem, chunk, i);
        let at = start + place_of(i);
        if (starts_sequence(chunk, i)) {
            value = value_before_head(chunk, i);
        }
        // A factor of 0 starts anew, also after infinity.
        value = select(row.s * value, 0.0, row.s == 0.0) + row.t;
        if (at < params.n) {
            check_row(problem, at, row, value);
            store_row(problem, at, value);
        }
    }
}
