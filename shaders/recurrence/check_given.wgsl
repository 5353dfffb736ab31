// role: row_check
import package::shared::status::report_input;
import super::recurrence_rows::AffineRow;
import roles::real::{is_finite, real};

// Coefficients that are not finite are the caller's; values that are not may be right.
fn check_row(problem: u32, at: u32, row: AffineRow, value: real) {
    if (!is_finite(row.s) || !is_finite(row.t)) {
        report_input(problem, at);
    }
}
