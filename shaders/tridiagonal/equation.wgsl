import package::shared::block::Equation;
import super::form::EXCESS;
import roles::problem::params;
import roles::real::{real, rounded};

// |b| - |a| - |c| with the rounding error of the first difference recovered.
fn excess_of(a: real, b: real, c: real) -> real {
    let hi = max(abs(a), abs(c));
    let lo = min(abs(a), abs(c));
    let s = rounded(abs(b) - hi, params.zero);
    return rounded(s - lo, params.zero) + (rounded(abs(b) - s, params.zero) - hi);
}

// A row from its four numbers, the corners dropped already.
fn equation(a: real, b: real, c: real, d: real) -> Equation {
    if (EXCESS) {
        return Equation(a, abs(a) + abs(c) + b, c, d, b);
    }
    return Equation(a, b, c, d, excess_of(a, b, c));
}
