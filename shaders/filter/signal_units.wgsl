// role: signal
import package::shared::element_units::{at_unit, at_unit_row, element};
import roles::real::{UNIT, real, unit};

// The signal, 16 bytes per load.
@group(0) @binding(1) var<storage, read> signal: array<element>; // input

fn signal_at(base: u32, row: u32) -> real {
    let at = at_unit_row(base, row);
    return signal[at / UNIT][at % UNIT];
}

// The k-th unit; unit 0 contains the first row. A k past the end reads the last unit.
fn signal_unit(base: u32, k: u32) -> unit {
    return signal[at_unit(base, k)];
}

// One that is not past the end.
fn signal_unit_within(base: u32, k: u32) -> unit {
    return signal[base / UNIT + k];
}
