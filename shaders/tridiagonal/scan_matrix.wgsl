// role: chunk_rows
import package::shared::order::start_of;
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::equation::excess_of;
import super::form::EXCESS;
import super::structure::{GENERAL, PERIODIC, STRUCTURE, given_row, system_at};
import roles::diag::DIAG_READ;
import roles::lower::LOWER_READ;
import roles::real::{is_finite, real};
import roles::scan_rows::load_lying;
import roles::upper::UPPER_READ;

// Rows of a matrix as Moebius maps. With q = -c/pivot of a row, as Gaussian elimination leaves it (x = q x_next + r),
// the point p : s with |q| = p/(p + s) (of a dominant matrix) and 1 - |q| = s/(p + s) goes from row to row by
//
//   p' = |c| (p + s),  s' = g p + h s,   h = |b| - |c|,
//   g = |b| - |a| - |c| where -a q has the sign opposite to b, else |b| + |a| - |c|,
//
// and |pivot| = |b| - |a q| or |b| + |a q| = |c| + s'/(p + s). This is c' = c/(b - a c') of Thomas's algorithm in the
// dominance and what it lacks of 1: of a dominant matrix no number is negative, and nothing cancels. For others
// |..| stands for the size with the sign of b: the formulas stay true.
struct Rows {
    a: array<real, ROWS>,
    b: array<real, ROWS>,
    c: array<real, ROWS>,
    d: array<real, ROWS>,
    // A bit a row: b < 0.
    negative: u32,
}

// Without the corners.
struct Matrix {
    a: real,
    b: real,
    c: real,
}

// ROWS of them as they lie.
struct MatrixRows {
    a: array<real, ROWS>,
    b: array<real, ROWS>,
    c: array<real, ROWS>,
}

fn matrix_from(row: u32, a: real, b: real, c: real) -> Matrix {
    return Matrix(select(a, real(0.0), row == 0u), b, select(c, real(0.0), row + 1u >= params.n));
}

fn matrix_at(problem: u32, row: u32) -> Matrix {
    let it = given_row(system_at(problem), min(row, params.n - 1u));
    return matrix_from(row, it.x, it.y, it.z);
}

// Rows as they lie are those of the matrix.
override LYING: bool = STRUCTURE == GENERAL && !PERIODIC && LOWER_READ && DIAG_READ && UPPER_READ;

fn load_matrix(problem: u32, start: u32) -> MatrixRows {
    let system = system_at(problem);
    if (LYING) {
        return load_lying(system, start);
    }
    var rows: MatrixRows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let it = given_row(system, min(start + i, params.n - 1u));
        rows.a[i] = it.x;
        rows.b[i] = it.y;
        rows.c[i] = it.z;
    }
    return rows;
}

// The sign of the diagonal; an excess is that of a positive one.
fn has_negative(it: Matrix) -> bool {
    return !EXCESS && it.b < 0.0;
}

// Rows start..start+ROWS of a system; those past the end leave everything as it is.
fn load_chunk(problem: u32, chunk: u32) -> Rows {
    let start = start_of(chunk);
    let lying = load_matrix(problem, start);
    // Whether c and b of the row before are of opposite signs.
    var odd = false;
    if (start > 0u) {
        let before = matrix_at(problem, start - 1u);
        odd = (before.c < 0.0) != has_negative(before);
    }
    var rows: Rows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let it = matrix_from(start + i, lying.a[i], lying.b[i], lying.c[i]);
        let negative = has_negative(it);
        let turned = ((it.a < 0.0) != negative) == odd;
        let size_a = abs(it.a);
        let size_c = abs(it.c);
        var g = it.b;
        var h = it.b + size_a;
        if (!EXCESS) {
            // Its minimum and maximum may lose a NaN.
            g = select(size_a, excess_of(it.a, it.b, it.c), is_finite(size_a));
            h = abs(it.b) - size_c;
        }
        g = select(h + size_a, g, turned);
        let past = start + i >= params.n;
        rows.a[i] = select(size_c, 1.0, past);
        rows.b[i] = select(size_c, 0.0, past);
        rows.c[i] = select(g, 0.0, past);
        rows.d[i] = select(h, 1.0, past);
        rows.negative |= select(0u, 1u << i, negative);
        odd = (it.c < 0.0) != negative;
    }
    return rows;
}
