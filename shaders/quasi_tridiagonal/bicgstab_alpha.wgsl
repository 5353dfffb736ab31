// role: decision
import super::breakdown::{check_shadow, checked_quotient};
import super::decide::numbers;
import super::scalars::{ALPHA, RHO};
import super::sizes::SUMS;
import roles::real::real;

// van der Vorst (1992): alpha = rho / (v, shadow).
fn decide(sums: array<real, SUMS>) {
    check_shadow(sums[0], sums[2]);
    numbers[ALPHA] = checked_quotient(numbers[RHO], sums[0]);
}
