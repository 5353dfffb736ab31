// role: visit
import package::shared::problem::{right_place, x_base};
import package::shared::status::report_result;
import super::structure::{place_in, system_at};
import roles::real::{is_finite, real};

// The solutions of periodic systems: y less its share of the correction. Reads 8 bytes per row (f32) and writes 4.
@group(0) @binding(6) var<storage, read_write> x: array<real>;
@group(0) @binding(7) var<storage, read> correction: array<real>;
@group(0) @binding(8) var<storage, read> shares: array<real>;

fn visit(problem: u32, row: u32) {
    let place = right_place(x_base(problem), row);
    let solved = x[place] - shares[problem] * correction[place_in(system_at(problem), row)];
    x[place] = solved;
    if (!is_finite(solved)) {
        report_result(problem, row);
    }
}
