import super::control::{BROKE_DOWN, NOT_FINITE};
import super::observe::end;
import roles::real::{NOISE, is_finite, real};

// A checked_quotient of recurrences; where there is none, the method breaks down and begins anew from the true residual.
fn checked_quotient(a: real, b: real) -> real {
    let value = a / b;
    if (b == 0.0 || !is_finite(value)) {
        end(select(NOT_FINITE, BROKE_DOWN, is_finite(a) && is_finite(b)));
        return 0.0;
    }
    return value;
}

// A product of a vector with the shadow residual, beside the sum of its terms' sizes, of which rounding has left nothing:
// what is divided by it later would be noise.
fn check_shadow(product: real, sizes: real) {
    if (is_finite(product) && abs(product) <= NOISE * sizes) {
        end(BROKE_DOWN);
    }
}
