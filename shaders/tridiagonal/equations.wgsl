import package::shared::block::Equation;
import package::shared::problem::params;
import package::shared::status::report_input;
import super::equation::equation;
import super::form::CLOSED;
import roles::element::element;
import roles::real::{all_finite, is_finite, real, real4};
import roles::system_heads::starts_system;

// The caller's vectors. `element` is real, or real4 where rows lie side by side.
@group(0) @binding(1) var<storage, read> lower: array<element>; // input
@group(0) @binding(2) var<storage, read> diag: array<element>; // input
@group(0) @binding(3) var<storage, read> upper: array<element>; // input
@group(0) @binding(4) var<storage, read> rhs: array<element>; // input

// Past the end a row says x = 0, so that a block may be longer than its system. The
// corners' values are dropped here, whatever they are, unless they stay.
fn equation_from(row: u32, a: real, b: real, c: real, d: real) -> Equation {
    if (row >= params.n) {
        return Equation(0.0, 1.0, 0.0, 0.0, 1.0);
    }
    let first = !CLOSED && (row == 0u || starts_system(row));
    let last = !CLOSED && (row + 1u == params.n || starts_system(row + 1u));
    return equation(select(a, real(0.0), first), b, select(c, real(0.0), last), d);
}

fn equation_is_finite(it: Equation) -> bool {
    return all_finite(real4(it.a, it.e, it.c, it.d)) && is_finite(it.b);
}

fn check_equation(problem: u32, row: u32, it: Equation) {
    if (!equation_is_finite(it)) {
        report_input(problem, row);
    }
}
