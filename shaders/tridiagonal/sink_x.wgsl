// role: sink
import package::shared::problem::{params, rhs_base};
import package::shared::status::report_result;
import roles::real::{is_finite, real};

@group(0) @binding(6) var<storage, read_write> x: array<real>;

fn sink(problem: u32, row: u32, solved: real) {
    x[rhs_base(problem) + row * params.element_stride] = solved;
    if (!is_finite(solved)) {
        report_result(problem, row);
    }
}
