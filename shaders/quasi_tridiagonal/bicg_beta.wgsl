// role: decision
import super::breakdown::{check_shadow, checked_quotient};
import super::control::IN_CYCLE;
import super::decide::{control, numbers};
import super::scalars::{BETA, RHO};
import super::sizes::SUMS;
import roles::real::real;

// Fletcher (1976): beta = (z, r~)' / (z, r~); 0 in the first iteration of a cycle.
fn decide(sums: array<real, SUMS>) {
    check_shadow(sums[0], sums[1]);
    numbers[BETA] = 0.0;
    if (control[IN_CYCLE] > 0u) {
        numbers[BETA] = checked_quotient(sums[0], numbers[RHO]);
    }
    numbers[RHO] = sums[0];
}
