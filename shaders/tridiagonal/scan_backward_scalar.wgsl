// role: row_check, s, t
import package::recurrence::recurrence_rows::AffineRow;
import package::shared::element_scalar::{at_right_row, at_row};
import package::shared::problem::{params, x_base};
import package::shared::store_scalar::x;
import package::shared::status::report_result;
import super::structure::{right_coefficient, system_at};
import roles::element::element;
import roles::real::{is_finite, real};

// x = y - c/pivot x_next: the recurrence of Thomas's substitution, over y.
@group(0) @binding(9) var<storage, read> pivots: array<element>;

// The corner is dropped, whatever it is.
fn s_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_row(base, row);
    return select(-right_coefficient(system_at(problem), min(row, params.n - 1u)) / pivots[at], 0.0, row + 1u >= params.n);
}

fn right_at(problem: u32, row: u32) -> real {
    return x[at_right_row(x_base(problem), row)];
}

fn t_at(problem: u32, row: u32, base: u32) -> real {
    return right_at(problem, row);
}

fn check_row(problem: u32, at: u32, row: AffineRow, value: real) {
    if (!is_finite(value)) {
        report_result(problem, at);
    }
}
