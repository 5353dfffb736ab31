// role: row_check, s, t
import package::recurrence::recurrence_rows::AffineRow;
import package::shared::element_scalar::at_row;
import package::shared::problem::{params, rhs_base};
import package::shared::status::{report_input, report_result};
import super::structure::{CORRECTING, correcting_at, left_coefficient, system_at};
import roles::element::element;
import roles::real::{is_finite, real};
import roles::rhs::right_side_at;

// y = (d - a y_before)/pivot: the recurrence of Thomas's algorithm for the right-hand side.
@group(0) @binding(9) var<storage, read> pivots: array<element>;

// The corner is dropped, whatever it is.
fn s_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_row(base, row);
    return select(-left_coefficient(system_at(problem), min(row, params.n - 1u)) / pivots[at], 0.0, row == 0u);
}

fn right_at(problem: u32, row: u32) -> real {
    let last = min(row, params.n - 1u);
    if (CORRECTING) {
        return correcting_at(system_at(problem), last);
    }
    return right_side_at(problem, rhs_base(problem), last);
}

fn t_at(problem: u32, row: u32, base: u32) -> real {
    return right_at(problem, row) / pivots[at_row(base, row)];
}

// A right-hand side that is not finite is the caller's; pivots have been looked at.
fn check_row(problem: u32, at: u32, row: AffineRow, value: real) {
    if (!is_finite(right_at(problem, at))) {
        report_input(problem, at);
    } else if (!is_finite(value)) {
        report_result(problem, at);
    }
}
