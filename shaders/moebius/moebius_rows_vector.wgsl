// role: moebius_rows
import package::shared::element_vector::{at_quad, at_row};
import package::shared::problem::matrix_base;
import package::shared::sizes::QUADS;
import super::moebius_chunk::MoebiusRow;
import super::moebius_rows::{CONSTANT_A, CONSTANT_B, CONSTANT_C, CONSTANT_D, a, b, c, d};
import roles::chunk_rows::Rows;

// Rows side by side and aligned: four a load.
fn moebius_row_at(problem: u32, row: u32) -> MoebiusRow {
    let at = at_row(matrix_base(problem), row);
    return MoebiusRow(
        a[select(at / 4u, 0u, CONSTANT_A)][at % 4u],
        b[select(at / 4u, 0u, CONSTANT_B)][at % 4u],
        c[select(at / 4u, 0u, CONSTANT_C)][at % 4u],
        d[select(at / 4u, 0u, CONSTANT_D)][at % 4u],
    );
}

// Rows start..start+ROWS as they lie; start is divisible by 4. Four of a constant lie side by side, too.
fn load_moebius_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    let base = matrix_base(problem);
    for (var i = 0u; i < QUADS; i++) { // unroll
        let at = at_quad(base, start + 4u * i);
        let as_ = a[select(at, 0u, CONSTANT_A)];
        let bs = b[select(at, 0u, CONSTANT_B)];
        let cs = c[select(at, 0u, CONSTANT_C)];
        let ds = d[select(at, 0u, CONSTANT_D)];
        rows.a[4u * i + 0u] = as_.x;
        rows.a[4u * i + 1u] = as_.y;
        rows.a[4u * i + 2u] = as_.z;
        rows.a[4u * i + 3u] = as_.w;
        rows.b[4u * i + 0u] = bs.x;
        rows.b[4u * i + 1u] = bs.y;
        rows.b[4u * i + 2u] = bs.z;
        rows.b[4u * i + 3u] = bs.w;
        rows.c[4u * i + 0u] = cs.x;
        rows.c[4u * i + 1u] = cs.y;
        rows.c[4u * i + 2u] = cs.z;
        rows.c[4u * i + 3u] = cs.w;
        rows.d[4u * i + 0u] = ds.x;
        rows.d[4u * i + 1u] = ds.y;
        rows.d[4u * i + 2u] = ds.z;
        rows.d[4u * i + 3u] = ds.w;
    }
    return rows;
}
