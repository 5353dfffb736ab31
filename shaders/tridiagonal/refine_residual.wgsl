// role: visit
import package::shared::problem::{params, rhs_base, right_place, x_base};
import super::form::EXCESS;
import super::structure::{
    PERIODIC, left_coefficient, own_coefficient, right_coefficient, row_before, row_behind, system_at,
};
import roles::real::{is_finite, real};
import roles::rhs::right_side_at;
import roles::wide::wide;

// d - A x, in `wide` numbers and rounded once: reads 20 bytes per row (f32), writes 4. What is not finite is nothing to refine.
@group(0) @binding(6) var<storage, read> x: array<real>; // input
@group(0) @binding(7) var<storage, read_write> residuals: array<real>;

fn visit(problem: u32, row: u32) {
    let system = system_at(problem);
    let right = rhs_base(problem);
    let unknowns = x_base(problem);
    let has_left = row > 0u || PERIODIC;
    let has_right = row + 1u < params.n || PERIODIC;
    let before = select(wide(0.0), wide(left_coefficient(system, row)), has_left);
    let behind = select(wide(0.0), wide(right_coefficient(system, row)), has_right);
    var own = wide(own_coefficient(system, row));
    if (EXCESS) {
        own += abs(before) + abs(behind);
    }
    let own_x = wide(x[right_place(unknowns, row)]);
    var rest = wide(right_side_at(problem, right, row)) - own * own_x;
    if (has_left) {
        rest -= before * wide(x[right_place(unknowns, row_before(row))]);
    }
    if (has_right) {
        rest -= behind * wide(x[right_place(unknowns, row_behind(row))]);
    }
    let rounded_once = real(rest);
    residuals[right_place(right, row)] = select(0.0, rounded_once, is_finite(rounded_once));
}
