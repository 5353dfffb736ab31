// role: signal
import package::shared::element_vector::{at_quad, at_row};
import package::shared::problem::matrix_base;
import package::shared::sizes::{QUADS, ROWS};
import roles::element::element;
import roles::real::real;

// The signal, four rows per load.
@group(0) @binding(1) var<storage, read> signal: array<element>; // input

fn signal_at(base: u32, row: u32) -> real {
    let at = at_row(base, row);
    return signal[at / 4u][at % 4u];
}

// Rows start..start+ROWS as they lie; start is divisible by 4.
fn load_signal(problem: u32, start: u32) -> array<real, ROWS> {
    var rows: array<real, ROWS>;
    let base = matrix_base(problem);
    for (var quad = 0u; quad < QUADS; quad++) { // unroll
        let four = signal[at_quad(base, start + 4u * quad)];
        rows[4u * quad + 0u] = four.x;
        rows[4u * quad + 1u] = four.y;
        rows[4u * quad + 2u] = four.z;
        rows[4u * quad + 3u] = four.w;
    }
    return rows;
}
