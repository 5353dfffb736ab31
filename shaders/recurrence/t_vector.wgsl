// role: t
import package::shared::element_vector::{at_quad, at_row};
import super::recurrence_rows::CONSTANT_T;
import roles::element::element;
import roles::real::{real, real4};

// t from a vector, four rows per load, or one for all rows.
@group(0) @binding(2) var<storage, read> t: array<element>; // input

fn t_at(problem: u32, row: u32, base: u32) -> real {
    let at = at_row(base, row);
    return t[select(at / 4u, 0u, CONSTANT_T)][at % 4u];
}

// Of rows row..row+4; row is divisible by 4.
fn t_four(problem: u32, row: u32, base: u32) -> real4 {
    if (CONSTANT_T) {
        return real4(t[0].x);
    }
    return t[at_quad(base, row)];
}
