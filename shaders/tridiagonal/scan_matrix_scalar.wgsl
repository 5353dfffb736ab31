// role: scan_rows
import package::shared::element_scalar::at_row;
import package::shared::sizes::ROWS;
import super::scan_matrix::MatrixRows;
import roles::entries::{diag_entry, lower_entry, upper_entry};

// Rows of a matrix at any stride, one load each.
fn load_lying(base: u32, start: u32) -> MatrixRows {
    var rows: MatrixRows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let at = at_row(base, start + i);
        rows.a[i] = lower_entry(at);
        rows.b[i] = diag_entry(at);
        rows.c[i] = upper_entry(at);
    }
    return rows;
}
