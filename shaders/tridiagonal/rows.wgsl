import package::shared::block::Equation;
import super::equation::equation;
import super::form::CLOSED;
import super::sizes::LOADED;
import roles::problem::params;
import roles::real::{real, real4};

// LOADED rows' numbers, loaded before the first is needed, so that all loads are under way
// together.
struct LoadedRows {
    a: array<real, LOADED>,
    b: array<real, LOADED>,
    c: array<real, LOADED>,
    d: array<real, LOADED>,
}

// LoadedRows 4 i to 4 i + 3, loaded four at once.
fn set_quad(rows: ptr<function, LoadedRows>, i: u32, a: real4, b: real4, c: real4, d: real4) {
    (*rows).a[4u * i + 0u] = a.x;
    (*rows).a[4u * i + 1u] = a.y;
    (*rows).a[4u * i + 2u] = a.z;
    (*rows).a[4u * i + 3u] = a.w;
    (*rows).b[4u * i + 0u] = b.x;
    (*rows).b[4u * i + 1u] = b.y;
    (*rows).b[4u * i + 2u] = b.z;
    (*rows).b[4u * i + 3u] = b.w;
    (*rows).c[4u * i + 0u] = c.x;
    (*rows).c[4u * i + 1u] = c.y;
    (*rows).c[4u * i + 2u] = c.z;
    (*rows).c[4u * i + 3u] = c.w;
    (*rows).d[4u * i + 0u] = d.x;
    (*rows).d[4u * i + 1u] = d.y;
    (*rows).d[4u * i + 2u] = d.z;
    (*rows).d[4u * i + 3u] = d.w;
}

// Drops the corners, and makes rows past the end say x = 0, unless corners stay: who keeps them sees to both. Few threads
// have such rows.
fn mend_ends(rows: ptr<function, LoadedRows>, start: u32) {
    if (start == 0u && !CLOSED) {
        (*rows).a[0] = 0.0;
    }
    if (start + LOADED >= params.n && !CLOSED) {
        for (var i = 0u; i < LOADED; i++) { // unroll
            if (start + i + 1u >= params.n) {
                (*rows).c[i] = 0.0;
            }
            if (start + i >= params.n) {
                (*rows).a[i] = 0.0;
                (*rows).b[i] = 1.0;
                (*rows).d[i] = 0.0;
            }
        }
    }
}

fn equation_at(rows: ptr<function, LoadedRows>, i: u32) -> Equation {
    return equation((*rows).a[i], (*rows).b[i], (*rows).c[i], (*rows).d[i]);
}
