// role: row_check, s, t
import package::recurrence::recurrence_rows::AffineRow;
import package::shared::element_vector::{at_quad, at_row};
import package::shared::problem::{lower_offset, params, rhs_base, rhs_offset};
import package::shared::status::{report_input, report_result};
import super::structure::{CORRECTING, GENERAL, STRUCTURE, correcting_at, left_coefficient, system_at};
import roles::element::element;
import roles::lower::{LOWER_READ, lower_quad};
import roles::real::{is_finite, real, real4};
import roles::rhs::{RHS_READ, right_side_at, rhs_quad};

// y = (d - a y_before)/pivot: the recurrence of Thomas's algorithm for the right-hand side, four rows per load.
@group(0) @binding(9) var<storage, read> pivots: array<element>;

// The corner is dropped, whatever it is.
fn s_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_row(base, row);
    return select(-left_coefficient(system_at(problem), min(row, params.n - 1u)) / pivots[at / 4u][at % 4u], 0.0, row == 0u);
}

fn right_at(problem: u32, row: u32) -> real {
    let last = min(row, params.n - 1u);
    if (CORRECTING) {
        return correcting_at(system_at(problem), last);
    }
    return right_side_at(problem, rhs_base(problem), last);
}

fn t_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_row(base, row);
    return right_at(problem, row) / pivots[at / 4u][at % 4u];
}

// The coefficients before the diagonal lie row by row.
override LEFT_LYING: bool = STRUCTURE == GENERAL && LOWER_READ;

// Of rows row..row+4; row is divisible by 4.
fn s_four(problem: u32, row: u32, base: u32) -> real4 {
    if (!LEFT_LYING) {
        return real4(
            s_at(problem, row, base),
            s_at(problem, row + 1u, base),
            s_at(problem, row + 2u, base),
            s_at(problem, row + 3u, base),
        );
    }
    let at = at_quad(base, row);
    let found = -lower_quad(at + lower_offset() / 4u) / pivots[at];
    return real4(select(found.x, 0.0, row == 0u), found.yzw);
}

fn t_four(problem: u32, row: u32, base: u32) -> real4 {
    if (!RHS_READ) {
        return real4(
            t_at(problem, row, base),
            t_at(problem, row + 1u, base),
            t_at(problem, row + 2u, base),
            t_at(problem, row + 3u, base),
        );
    }
    return rhs_quad(at_quad(rhs_base(problem) + rhs_offset(), row)) / pivots[at_quad(base, row)];
}

// A right-hand side that is not finite is the caller's; pivots have been looked at.
fn check_row(problem: u32, at: u32, row: AffineRow, value: real) {
    if (!is_finite(right_at(problem, at))) {
        report_input(problem, at);
    } else if (!is_finite(value)) {
        report_result(problem, at);
    }
}
