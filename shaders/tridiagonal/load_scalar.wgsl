// role: load
import package::shared::problem::{matrix_base, params, rhs_base};
import super::arrange::arrange;
import super::equations::{diag, lower, rhs, upper};
import super::rows::LoadedRows;
import super::sizes::LOADED;
import super::structure::{LOWER_READ, MATRIX_READ, RHS_READ};

// LoadedRows start..start+LOADED of a problem, at any stride.
fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    let matrix = matrix_base(problem);
    let right = rhs_base(problem);
    for (var i = 0u; i < LOADED; i++) { // unroll
        let at = min(start + i, params.n - 1u) * params.element_stride;
        if (LOWER_READ) {
            rows.a[i] = lower[matrix + at];
        }
        if (MATRIX_READ) {
            rows.b[i] = diag[matrix + at];
            rows.c[i] = upper[matrix + at];
        }
        if (RHS_READ) {
            rows.d[i] = rhs[right + at];
        }
    }
    arrange(&rows, matrix, start);
    return rows;
}
