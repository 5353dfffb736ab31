// role: signal
import package::shared::element_scalar::at_row;
import package::shared::problem::matrix_base;
import package::shared::sizes::ROWS;
import roles::element::element;
import roles::real::{UNIT, real, unit, unit_of};

// The signal at any stride.
@group(0) @binding(1) var<storage, read> signal: array<element>; // input

fn signal_at(base: u32, row: u32) -> real {
    return signal[at_row(base, row)];
}

// Rows start..start+ROWS as they lie.
fn load_signal(problem: u32, start: u32) -> array<real, ROWS> {
    var rows: array<real, ROWS>;
    let base = matrix_base(problem);
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows[i] = signal_at(base, start + i);
    }
    return rows;
}

// The k-th UNIT rows of a sequence as they lie.
fn signal_unit(base: u32, k: u32) -> unit {
    var rows: array<real, UNIT>;
    for (var i = 0u; i < UNIT; i++) { // unroll
        rows[i] = signal_at(base, k * UNIT + i);
    }
    return unit_of(rows);
}

// The same.
fn signal_unit_within(base: u32, k: u32) -> unit {
    return signal_unit(base, k);
}
