// role: t
import package::shared::element_scalar::at_row;
import super::recurrence_rows::CONSTANT_T;
import roles::element::element;
import roles::real::{UNIT, real, real4, unit, unit_of};

// t from a vector at any stride, or one for all rows.
@group(0) @binding(2) var<storage, read> t: array<element>; // input

override SAME_T: bool = CONSTANT_T;

fn t_at(problem: u32, row: u32, base: u32) -> real {
    return t[select(at_row(base, row), 0u, CONSTANT_T)];
}

fn t_four(problem: u32, row: u32, base: u32) -> real4 {
    return real4(
        t_at(problem, row, base),
        t_at(problem, row + 1u, base),
        t_at(problem, row + 2u, base),
        t_at(problem, row + 3u, base),
    );
}

fn t_unit(problem: u32, k: u32, base: u32) -> unit {
    var rows: array<real, UNIT>;
    for (var i = 0u; i < UNIT; i++) { // unroll
        rows[i] = t_at(problem, k * UNIT + i, base);
    }
    return unit_of(rows);
}
