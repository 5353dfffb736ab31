// role: s
import package::shared::element_scalar::at_row;
import super::recurrence_rows::CONSTANT_S;
import roles::element::element;
import roles::real::{UNIT, real, real4, unit, unit_of};

// s from a vector at any stride, or one for all rows.
@group(0) @binding(1) var<storage, read> s: array<element>; // input

override SAME_S: bool = CONSTANT_S;

fn s_at(problem: u32, row: u32, base: u32) -> real {
    return s[select(at_row(base, row), 0u, CONSTANT_S)];
}

fn s_four(problem: u32, row: u32, base: u32) -> real4 {
    return real4(
        s_at(problem, row, base),
        s_at(problem, row + 1u, base),
        s_at(problem, row + 2u, base),
        s_at(problem, row + 3u, base),
    );
}

fn s_unit(problem: u32, k: u32, base: u32) -> unit {
    var rows: array<real, UNIT>;
    for (var i = 0u; i < UNIT; i++) { // unroll
        rows[i] = s_at(problem, k * UNIT + i, base);
    }
    return unit_of(rows);
}
