// role: s
import package::shared::element_units::{at_unit_row, at_unit, element};
import super::recurrence_rows::CONSTANT_S;
import roles::real::{UNIT, real, unit};

// s from a vector, 16 bytes per load, or one for all rows.
@group(0) @binding(1) var<storage, read> s: array<element>; // input

override SAME_S: bool = CONSTANT_S;

fn s_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_unit_row(base, row);
    return s[select(at / UNIT, 0u, CONSTANT_S)][at % UNIT];
}

// Of the k-th unit.
fn s_unit(problem: u32, k: u32, base: u32) -> unit {
    if (CONSTANT_S) {
        return unit(s[0].x);
    }
    return s[at_unit(base, k)];
}
