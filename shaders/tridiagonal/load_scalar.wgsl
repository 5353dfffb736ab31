// role: load
import package::shared::problem::{matrix_base, params, rhs_base, right_place};
import super::arrange::arrange;
import super::rows::LoadedRows;
import super::sizes::LOADED;
import super::structure::{LOWER_READ, MATRIX_READ, RHS_READ, place_in};
import roles::entries::{diag_entry, lower_entry, rhs_entry, upper_entry};

// LoadedRows start..start+LOADED of a problem, at any stride.
fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    let matrix = matrix_base(problem);
    let right = rhs_base(problem);
    for (var i = 0u; i < LOADED; i++) { // unroll
        let row = min(start + i, params.n - 1u);
        let at = place_in(matrix, row);
        if (LOWER_READ) {
            rows.a[i] = lower_entry(at);
        }
        if (MATRIX_READ) {
            rows.b[i] = diag_entry(at);
            rows.c[i] = upper_entry(at);
        }
        if (RHS_READ) {
            rows.d[i] = rhs_entry(right_place(right, row));
        }
    }
    arrange(&rows, matrix, start);
    return rows;
}
