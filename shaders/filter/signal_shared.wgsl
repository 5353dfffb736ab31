// role: signal
import package::shared::lead::lead;
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import roles::real::{UNIT, real, unit, unit_of};

// One signal for all filters of a bank, row after row.
@group(0) @binding(1) var<storage, read> signal: array<real>; // input

// Rows past the end read the last row.
fn signal_at(base: u32, row: u32) -> real {
    return signal[min(row, params.n - 1u)];
}

// Rows start..start+ROWS as they lie.
fn load_signal(problem: u32, start: u32) -> array<real, ROWS> {
    var rows: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows[i] = signal_at(0u, start + i);
    }
    return rows;
}

// The k-th UNIT places of a sequence.
fn signal_unit(base: u32, k: u32) -> unit {
    var rows: array<real, UNIT>;
    for (var i = 0u; i < UNIT; i++) { // unroll
        rows[i] = signal_at(base, k * UNIT + i - lead(base));
    }
    return unit_of(rows);
}

// The same.
fn signal_unit_within(base: u32, k: u32) -> unit {
    return signal_unit(base, k);
}
