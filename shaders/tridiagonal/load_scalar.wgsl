// role: load
import package::shared::problem::{params, rhs_base};
import super::arrange::arrange;
import super::rows::LoadedRows;
import super::sizes::LOADED;
import super::structure::system_at;
import roles::diag::{DIAG_READ, diag_at};
import roles::lower::{LOWER_READ, lower_at};
import roles::rhs::{RHS_READ, right_side_at};
import roles::upper::{UPPER_READ, upper_at};

// LoadedRows start..start+LOADED of a problem, at any stride.
fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    let system = system_at(problem);
    let right = rhs_base(problem);
    for (var i = 0u; i < LOADED; i++) { // unroll
        let row = min(start + i, params.n - 1u);
        if (LOWER_READ) {
            rows.a[i] = lower_at(system, row);
        }
        if (DIAG_READ) {
            rows.b[i] = diag_at(system, row);
        }
        if (UPPER_READ) {
            rows.c[i] = upper_at(system, row);
        }
        if (RHS_READ) {
            rows.d[i] = right_side_at(problem, right, row);
        }
    }
    arrange(&rows, problem, system, right, start);
    return rows;
}
