// role: t
import package::shared::element_units::{at_unit_row, at_unit, element};
import super::recurrence_rows::CONSTANT_T;
import roles::real::{UNIT, real, unit};

// t from a vector, 16 bytes per load, or one for all rows.
@group(0) @binding(2) var<storage, read> t: array<element>; // input

override SAME_T: bool = CONSTANT_T;

fn t_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_unit_row(base, row);
    return t[select(at / UNIT, 0u, CONSTANT_T)][at % UNIT];
}

// Of the k-th unit.
fn t_unit(problem: u32, k: u32, base: u32) -> unit {
    if (CONSTANT_T) {
        return unit(t[0].x);
    }
    return t[at_unit(base, k)];
}
