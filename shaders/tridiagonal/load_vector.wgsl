// role: load
import package::shared::problem::{
    diag_offset, lower_offset, matrix_base, params, rhs_base, rhs_offset, upper_offset,
};
import super::arrange::arrange;
import super::equations::{diag, lower, rhs, upper};
import super::rows::{LoadedRows, set_quad};
import super::sizes::LOADED_QUADS;
import super::structure::{LOWER_READ, MATRIX_READ, RHS_READ};
import roles::real::real4;

// LoadedRows start..start+LOADED of a problem, four a load; start is divisible by 4.
fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    let base = matrix_base(problem);
    let matrix = base / 4u;
    let right = (rhs_base(problem) + rhs_offset()) / 4u;
    for (var i = 0u; i < LOADED_QUADS; i++) { // unroll
        let at = min(start / 4u + i, (params.n - 1u) / 4u);
        var a: real4;
        var b: real4;
        var c: real4;
        var d: real4;
        if (LOWER_READ) {
            a = lower[matrix + lower_offset() / 4u + at];
        }
        if (MATRIX_READ) {
            b = diag[matrix + diag_offset() / 4u + at];
            c = upper[matrix + upper_offset() / 4u + at];
        }
        if (RHS_READ) {
            d = rhs[right + at];
        }
        set_quad(&rows, i, a, b, c, d);
    }
    arrange(&rows, base, start);
    return rows;
}
