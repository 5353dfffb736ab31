import package::shared::problem::params;
import super::form::CLOSED;
import super::rows::{LoadedRows, mend_ends};
import super::sizes::LOADED;
import super::structure::{
    CORRECTING, DIAG_ALIKE, DIAG_ENDS, GENERAL, LEFT_ALIKE, LEFT_ENDS, LEFT_READ, PERIODIC, RIGHT_ALIKE, RIGHT_ENDS, RIGHT_READ,
    STRUCTURE, System, TRANSPOSED, correcting_at, given_row, left_coefficient, own_coefficient, right_coefficient,
};
import roles::diag::DIAG_READ;
import roles::real::real;
import roles::rhs::{RHS_READ, right_side_at};
import roles::system_heads::cut_at_heads;

const LOADED_LESS = 0u; // set by Rust

// An inner row, if there is one. If all are alike, it is loaded for all.
const INNER_ROW = 1u;

// LOADED numbers of each vector as they lie, made rows start..start+LOADED of a problem, whose right-hand side begins at `right`.
fn arrange(rows: ptr<function, LoadedRows>, problem: u32, system: System, right: u32, start: u32) {
    let last = params.n - 1u;
    if (STRUCTURE != GENERAL) {
        let low = (*rows).a;
        let up = (*rows).c;
        if (LEFT_READ) {
            (*rows).a[0] = left_coefficient(system, min(start, last));
            for (var i = 0u; i < LOADED_LESS; i++) { // unroll
                (*rows).a[i + 1u] = up[i];
            }
        }
        if (STRUCTURE == TRANSPOSED && RIGHT_READ) {
            for (var i = 0u; i < LOADED_LESS; i++) { // unroll
                (*rows).c[i] = low[i + 1u];
            }
            (*rows).c[LOADED_LESS] = right_coefficient(system, min(start + LOADED_LESS, last));
        }
    }
    if (!LEFT_READ || !DIAG_READ || !RIGHT_READ) {
        var inner: vec3<real>;
        if (LEFT_ALIKE) {
            inner.x = left_coefficient(system, INNER_ROW);
        }
        if (DIAG_ALIKE) {
            inner.y = own_coefficient(system, INNER_ROW);
        }
        if (RIGHT_ALIKE) {
            inner.z = right_coefficient(system, INNER_ROW);
        }
        for (var i = 0u; i < LOADED; i++) { // unroll
            let row = min(start + i, last);
            if (LEFT_ALIKE) {
                (*rows).a[i] = inner.x;
            } else if (!LEFT_READ) {
                (*rows).a[i] = left_coefficient(system, row);
            }
            if (DIAG_ALIKE) {
                (*rows).b[i] = inner.y;
            } else if (!DIAG_READ) {
                (*rows).b[i] = own_coefficient(system, row);
            }
            if (RIGHT_ALIKE) {
                (*rows).c[i] = inner.z;
            } else if (!RIGHT_READ) {
                (*rows).c[i] = right_coefficient(system, row);
            }
        }
    }
    if (!RHS_READ) {
        for (var i = 0u; i < LOADED; i++) { // unroll
            if (CORRECTING) {
                (*rows).d[i] = 0.0;
            } else {
                (*rows).d[i] = right_side_at(problem, right, min(start + i, last));
            }
        }
    }
    if (LEFT_ENDS || DIAG_ENDS || RIGHT_ENDS || PERIODIC || CLOSED) {
        if (start == 0u) {
            arrange_end(rows, system, 0u, 0u);
        }
        if (start + LOADED >= params.n) {
            for (var i = 0u; i < LOADED; i++) { // unroll
                if (start + i == last) {
                    arrange_end(rows, system, i, last);
                }
            }
        }
    }
    mend_ends(rows, start);
    cut_at_heads(rows, start);
}

fn arrange_end(rows: ptr<function, LoadedRows>, system: System, i: u32, row: u32) {
    let it = given_row(system, row);
    (*rows).a[i] = it.x;
    (*rows).b[i] = it.y;
    (*rows).c[i] = it.z;
    if (CORRECTING) {
        (*rows).d[i] = correcting_at(system, row);
    }
}
