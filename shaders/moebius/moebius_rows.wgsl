// role: chunk_rows
import package::shared::order::{REVERSE, place_of, start_of};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import roles::element::element;
import roles::moebius_rows::load_moebius_rows;
import roles::real::real;

// ROWS rows' coefficients, in the order of the recurrence.
struct Rows {
    a: array<real, ROWS>,
    b: array<real, ROWS>,
    c: array<real, ROWS>,
    d: array<real, ROWS>,
}

@group(0) @binding(1) var<storage, read> a: array<element>; // input
@group(0) @binding(2) var<storage, read> b: array<element>; // input
@group(0) @binding(3) var<storage, read> c: array<element>; // input
@group(0) @binding(4) var<storage, read> d: array<element>; // input

// One coefficient for all rows: no vector.
override CONSTANT_A: bool = false;
override CONSTANT_B: bool = false;
override CONSTANT_C: bool = false;
override CONSTANT_D: bool = false;

// Rows past the end leave the value as it is; few threads have such rows.
fn load_chunk(problem: u32, chunk: u32) -> Rows {
    let start = start_of(chunk);
    let lying = load_moebius_rows(problem, start);
    var rows: Rows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows.a[i] = select(lying.a[i], lying.a[ROWS - 1u - i], REVERSE);
        rows.b[i] = select(lying.b[i], lying.b[ROWS - 1u - i], REVERSE);
        rows.c[i] = select(lying.c[i], lying.c[ROWS - 1u - i], REVERSE);
        rows.d[i] = select(lying.d[i], lying.d[ROWS - 1u - i], REVERSE);
    }
    if (start + ROWS > params.n) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            if (start + place_of(i) >= params.n) {
                rows.a[i] = 1.0;
                rows.b[i] = 0.0;
                rows.c[i] = 0.0;
                rows.d[i] = 1.0;
            }
        }
    }
    return rows;
}
