// role: scan_rows
import package::shared::element_vector::at_quad;
import package::shared::problem::{diag_offset, lower_offset, upper_offset};
import package::shared::sizes::QUADS;
import super::scan_matrix::MatrixRows;
import super::structure::System;
import roles::diag::diag_quad;
import roles::lower::lower_quad;
import roles::upper::upper_quad;

// Rows of a matrix side by side and aligned, four a load; start is divisible by 4.
fn load_lying(system: System, start: u32) -> MatrixRows {
    var rows: MatrixRows;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let at = at_quad(system.base, start + 4u * i);
        let a = lower_quad(at + lower_offset() / 4u);
        let b = diag_quad(at + diag_offset() / 4u);
        let c = upper_quad(at + upper_offset() / 4u);
        rows.a[4u * i + 0u] = a.x;
        rows.a[4u * i + 1u] = a.y;
        rows.a[4u * i + 2u] = a.z;
        rows.a[4u * i + 3u] = a.w;
        rows.b[4u * i + 0u] = b.x;
        rows.b[4u * i + 1u] = b.y;
        rows.b[4u * i + 2u] = b.z;
        rows.b[4u * i + 3u] = b.w;
        rows.c[4u * i + 0u] = c.x;
        rows.c[4u * i + 1u] = c.y;
        rows.c[4u * i + 2u] = c.z;
        rows.c[4u * i + 3u] = c.w;
    }
    return rows;
}
