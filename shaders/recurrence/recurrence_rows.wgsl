import package::shared::lead::{all_rows, lead};
import package::shared::order::{place_of, start_of};
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import roles::real::real;
import roles::s::s_at;
import roles::t::t_at;

// ROWS rows' coefficients, in the order of the recurrence.
struct AffineRows {
    s: array<real, ROWS>,
    t: array<real, ROWS>,
}

struct AffineRow {
    s: real,
    t: real,
}

// One coefficient for all rows, or one that is computed: no vector.
override CONSTANT_S: bool = false;
override CONSTANT_T: bool = false;

fn row_at(problem: u32, row: u32) -> AffineRow {
    let base = matrix_base(problem);
    return AffineRow(s_at(problem, row, base), t_at(problem, row, base));
}

// Padding leaves the value as it is; few threads have any.
fn ended(given: AffineRows, problem: u32, chunk: u32) -> AffineRows {
    var rows = given;
    let base = matrix_base(problem);
    if (!all_rows(base, start_of(chunk), ROWS)) {
        let start = start_of(chunk) - lead(base);
        for (var i = 0u; i < ROWS; i++) { // unroll
            if (start + place_of(i) >= params.n) {
                rows.s[i] = 1.0;
                rows.t[i] = 0.0;
            }
        }
    }
    return rows;
}

// The i-th row of a chunk, read once more: rare ways are short loops, since code costs time also where it is
// not run.
fn row_of(problem: u32, chunk: u32, i: u32) -> AffineRow {
    let row = start_of(chunk) + place_of(i) - lead(matrix_base(problem));
    if (row >= params.n) {
        return AffineRow(1.0, 0.0);
    }
    return row_at(problem, row);
}
