// role: row_check, s, t
import package::recurrence::recurrence_rows::AffineRow;
import package::shared::element_vector::{at_quad, at_row};
import package::shared::problem::{params, upper_offset, x_base};
import package::shared::store_vector::x;
import package::shared::status::report_result;
import super::structure::{STRUCTURE, TRANSPOSED, right_coefficient, system_at};
import roles::element::element;
import roles::real::{is_finite, real, real4};
import roles::upper::{UPPER_READ, upper_quad};

// x = y - c/pivot x_next: the recurrence of Thomas's substitution, over y, four rows per load.
@group(0) @binding(9) var<storage, read> pivots: array<element>;

// The corner is dropped, whatever it is.
fn s_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_row(base, row);
    return select(-right_coefficient(system_at(problem), min(row, params.n - 1u)) / pivots[at / 4u][at % 4u], 0.0, row + 1u >= params.n);
}

fn right_at(problem: u32, row: u32) -> real {
    let at = at_row(x_base(problem), row);
    return x[at / 4u][at % 4u];
}

fn t_at(problem: u32, row: u32, base: u32) -> real {
    return right_at(problem, row);
}

// The coefficients behind the diagonal lie row by row.
override RIGHT_LYING: bool = STRUCTURE != TRANSPOSED && UPPER_READ;

// Of rows row..row+4; row is divisible by 4.
fn s_four(problem: u32, row: u32, base: u32) -> real4 {
    if (!RIGHT_LYING) {
        return real4(
            s_at(problem, row, base),
            s_at(problem, row + 1u, base),
            s_at(problem, row + 2u, base),
            s_at(problem, row + 3u, base),
        );
    }
    let at = at_quad(base, row);
    let behind = vec4<u32>(row) + vec4<u32>(1u, 2u, 3u, 4u);
    return select(-upper_quad(at + upper_offset() / 4u) / pivots[at], real4(0.0), behind >= vec4<u32>(params.n));
}

fn t_four(problem: u32, row: u32, base: u32) -> real4 {
    return x[at_quad(x_base(problem), row)];
}

fn check_row(problem: u32, at: u32, row: AffineRow, value: real) {
    if (!is_finite(value)) {
        report_result(problem, at);
    }
}
