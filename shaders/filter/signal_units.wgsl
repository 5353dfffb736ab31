// role: signal
import package::shared::element_units::element;
import package::shared::problem::params;
import roles::real::{UNIT, real, unit};

// The signal, 16 bytes per load.
@group(0) @binding(1) var<storage, read> signal: array<element>; // input

fn signal_at(base: u32, row: u32) -> real {
    let at = base + min(row, params.n - 1u);
    return signal[at / UNIT][at % UNIT];
}

// The unit at a place of the sequence, which is divisible by UNIT; what is past the end is read as the last.
fn signal_unit(base: u32, place: u32) -> unit {
    return signal[min(base / UNIT + place / UNIT, (base + params.n - 1u) / UNIT)];
}
