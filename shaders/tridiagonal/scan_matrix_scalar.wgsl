// role: scan_rows
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::scan_matrix::MatrixRows;
import super::structure::System;
import roles::diag::diag_at;
import roles::lower::lower_at;
import roles::upper::upper_at;

// Rows of a matrix at any stride, one load each.
fn load_lying(system: System, start: u32) -> MatrixRows {
    var rows: MatrixRows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let row = min(start + i, params.n - 1u);
        rows.a[i] = lower_at(system, row);
        rows.b[i] = diag_at(system, row);
        rows.c[i] = upper_at(system, row);
    }
    return rows;
}
