// LOADED rows' numbers, loaded before the first is needed, so that all loads are under way
// together.
struct Rows {
    a: array<real, LOADED>,
    b: array<real, LOADED>,
    c: array<real, LOADED>,
    d: array<real, LOADED>,
}

// Drops the corners, and makes rows past the end say x = 0. Few threads have such rows.
fn mend_ends(rows: ptr<function, Rows>, start: u32) {
    if (start == 0u) {
        (*rows).a[0] = 0.0;
    }
    if (start + LOADED >= params.n) {
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

fn equation_at(rows: ptr<function, Rows>, i: u32) -> Equation {
    return equation((*rows).a[i], (*rows).b[i], (*rows).c[i], (*rows).d[i]);
}
