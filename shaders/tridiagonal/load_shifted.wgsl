// role: load
import package::shared::problem::{diag_offset, lower_offset, params, rhs_base, rhs_offset, upper_offset};
import super::arrange::arrange;
import super::rows::LoadedRows;
import super::sizes::LOADED;
import super::structure::system_at;
import roles::diag::{DIAG_READ, diag_quad};
import roles::lower::{LOWER_READ, lower_quad};
import roles::real::{real, real4};
import roles::rhs::{RHS_READ, rhs_quad};
import roles::upper::{UPPER_READ, upper_quad};

const LOADED_SHIFTED = 0u; // set by Rust
const QUADS_SHIFTED = 0u; // set by Rust

// LoadedRows start..start+LOADED of a problem, side by side wherever they begin: whole vectors, one more
// than the rows fill, and each row picked from the four places where it may lie.
struct Quads {
    e: array<real, LOADED_SHIFTED>,
}

fn put_shifted(quads: ptr<function, Quads>, i: u32, values: real4) {
    (*quads).e[4u * i + 0u] = values.x;
    (*quads).e[4u * i + 1u] = values.y;
    (*quads).e[4u * i + 2u] = values.z;
    (*quads).e[4u * i + 3u] = values.w;
}

fn picked(quads: ptr<function, Quads>, i: u32, shift: u32) -> real {
    let odd = (shift & 1u) == 1u;
    return select(
        select((*quads).e[i], (*quads).e[i + 1u], odd),
        select((*quads).e[i + 2u], (*quads).e[i + 3u], odd),
        shift >= 2u,
    );
}

// The i-th vector of rows from `start` on, in one that begins at `base`; no further than the last row's.
fn quad_at(base: u32, start: u32, i: u32) -> u32 {
    return min((base + start) / 4u + i, (base + params.n - 1u) / 4u);
}

fn load_rows(problem: u32, start: u32) -> LoadedRows {
    var rows: LoadedRows;
    var a: Quads;
    var b: Quads;
    var c: Quads;
    var d: Quads;
    let system = system_at(problem);
    let right = rhs_base(problem);
    let from_lower = system.base + lower_offset();
    let from_diag = system.base + diag_offset();
    let from_upper = system.base + upper_offset();
    let from_rhs = right + rhs_offset();
    for (var i = 0u; i < QUADS_SHIFTED; i++) { // unroll
        if (LOWER_READ) {
            put_shifted(&a, i, lower_quad(quad_at(from_lower, start, i)));
        }
        if (DIAG_READ) {
            put_shifted(&b, i, diag_quad(quad_at(from_diag, start, i)));
        }
        if (UPPER_READ) {
            put_shifted(&c, i, upper_quad(quad_at(from_upper, start, i)));
        }
        if (RHS_READ) {
            put_shifted(&d, i, rhs_quad(quad_at(from_rhs, start, i)));
        }
    }
    for (var i = 0u; i < LOADED; i++) { // unroll
        rows.a[i] = picked(&a, i, from_lower % 4u);
        rows.b[i] = picked(&b, i, from_diag % 4u);
        rows.c[i] = picked(&c, i, from_upper % 4u);
        rows.d[i] = picked(&d, i, from_rhs % 4u);
    }
    arrange(&rows, problem, system, right, start);
    return rows;
}
