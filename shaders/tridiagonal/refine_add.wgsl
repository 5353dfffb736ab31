// role: visit
import package::shared::problem::{rhs_base, right_place, x_offset};
import roles::real::real;

// x and what a residual comes to.
@group(0) @binding(6) var<storage, read_write> x: array<real>;
@group(0) @binding(7) var<storage, read> steps: array<real>;

fn visit(problem: u32, row: u32) {
    let place = right_place(rhs_base(problem), row);
    x[place + x_offset()] += steps[place];
}
