// role: s
import package::shared::element_vector::{at_quad, at_row};
import super::recurrence_rows::CONSTANT_S;
import roles::element::element;
import roles::real::{real, real4};

// s from a vector, four rows per load, or one for all rows.
@group(0) @binding(1) var<storage, read> s: array<element>; // input

fn s_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_row(base, row);
    return s[select(at / 4u, 0u, CONSTANT_S)][at % 4u];
}

// Of rows row..row+4; row is divisible by 4.
fn s_four(problem: u32, row: u32, base: u32) -> real4 {
    if (CONSTANT_S) {
        return real4(s[0].x);
    }
    return s[at_quad(base, row)];
}
