// role: load
import package::shared::problem::{diag_offset, lower_offset, params, rhs_base, rhs_offset, upper_offset};
import super::arrange::arrange;
import super::rows::{LoadedRows, set_quad};
import super::sizes::LOADED_QUADS;
import super::structure::system_at;
import roles::diag::{DIAG_READ, diag_quad};
import roles::lower::{LOWER_READ, lower_quad};
import roles::real::real4;
import roles::rhs::{RHS_READ, rhs_quad};
import roles::upper::{UPPER_READ, upper_quad};

// LoadedRows start..start+LOADED of a problem, four a load; start is divisible by 4.
fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    let system = system_at(problem);
    let matrix = system.base / 4u;
    let right = rhs_base(problem);
    for (var i = 0u; i < LOADED_QUADS; i++) { // unroll
        let at = min(start / 4u + i, (params.n - 1u) / 4u);
        var a: real4;
        var b: real4;
        var c: real4;
        var d: real4;
        if (LOWER_READ) {
            a = lower_quad(matrix + lower_offset() / 4u + at);
        }
        if (DIAG_READ) {
            b = diag_quad(matrix + diag_offset() / 4u + at);
        }
        if (UPPER_READ) {
            c = upper_quad(matrix + upper_offset() / 4u + at);
        }
        if (RHS_READ) {
            d = rhs_quad((right + rhs_offset()) / 4u + at);
        }
        set_quad(&rows, i, a, b, c, d);
    }
    arrange(&rows, problem, system, right, start);
    return rows;
}
