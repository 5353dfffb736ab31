// role: moebius_rows
import package::shared::element_scalar::at_row;
import package::shared::problem::matrix_base;
import package::shared::sizes::ROWS;
import super::moebius_chunk::MoebiusRow;
import super::moebius_rows::{CONSTANT_A, CONSTANT_B, CONSTANT_C, CONSTANT_D, a, b, c, d};
import roles::chunk_rows::Rows;

// Rows at any stride, one load each.
fn moebius_row_at(problem: u32, row: u32) -> MoebiusRow {
    let at = at_row(matrix_base(problem), row);
    return MoebiusRow(
        a[select(at, 0u, CONSTANT_A)],
        b[select(at, 0u, CONSTANT_B)],
        c[select(at, 0u, CONSTANT_C)],
        d[select(at, 0u, CONSTANT_D)],
    );
}

// Rows start..start+ROWS as they lie.
fn load_moebius_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let row = moebius_row_at(problem, start + i);
        rows.a[i] = row.a;
        rows.b[i] = row.b;
        rows.c[i] = row.c;
        rows.d[i] = row.d;
    }
    return rows;
}
