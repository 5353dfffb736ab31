import package::shared::problem::params;
import super::form::CLOSED;
import super::rows::{LoadedRows, mend_ends};
import super::sizes::LOADED;
import super::structure::{
    CONSTANT, CORRECTING, PERIODIC, STRUCTURE, SYMMETRIC, TRANSPOSED, correcting_at, given_row, left_coefficient,
    right_coefficient,
};
import roles::entries::{diag_entry, lower_entry, upper_entry};
import roles::real::real;
import roles::system_heads::cut_at_heads;

const LOADED_LESS = 0u; // set by Rust

// LOADED numbers of each vector as they lie, made rows start..start+LOADED of the system whose entries begin at `base`.
fn arrange(rows: ptr<function, LoadedRows>, base: u32, start: u32) {
    let last = params.n - 1u;
    if (STRUCTURE == TRANSPOSED || STRUCTURE == SYMMETRIC) {
        let low = (*rows).a;
        let up = (*rows).c;
        (*rows).a[0] = left_coefficient(base, min(start, last));
        for (var i = 0u; i < LOADED_LESS; i++) { // unroll
            (*rows).a[i + 1u] = up[i];
        }
        if (STRUCTURE == TRANSPOSED) {
            for (var i = 0u; i < LOADED_LESS; i++) { // unroll
                (*rows).c[i] = low[i + 1u];
            }
            (*rows).c[LOADED_LESS] = right_coefficient(base, min(start + LOADED_LESS, last));
        }
    }
    if (STRUCTURE == CONSTANT) {
        let between = vec3<real>(lower_entry(1u), diag_entry(1u), upper_entry(1u));
        for (var i = 0u; i < LOADED; i++) { // unroll
            (*rows).a[i] = between.x;
            (*rows).b[i] = between.y;
            (*rows).c[i] = between.z;
        }
    }
    if (CORRECTING) {
        for (var i = 0u; i < LOADED; i++) { // unroll
            (*rows).d[i] = 0.0;
        }
    }
    if (STRUCTURE == CONSTANT || PERIODIC || CLOSED) {
        if (start == 0u) {
            arrange_end(rows, base, 0u, 0u);
        }
        if (start + LOADED >= params.n) {
            for (var i = 0u; i < LOADED; i++) { // unroll
                if (start + i == last) {
                    arrange_end(rows, base, i, last);
                }
            }
        }
    }
    mend_ends(rows, start);
    cut_at_heads(rows, start);
}

fn arrange_end(rows: ptr<function, LoadedRows>, base: u32, i: u32, row: u32) {
    let it = given_row(base, row);
    (*rows).a[i] = it.x;
    (*rows).b[i] = it.y;
    (*rows).c[i] = it.z;
    if (CORRECTING) {
        (*rows).d[i] = correcting_at(base, row);
    }
}
