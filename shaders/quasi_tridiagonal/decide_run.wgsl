// role: decision
import super::control::{ITERATE, PHASE};
import super::decide::{control, numbers};
import super::scalars::RHO;
import super::sizes::SUMS;
import roles::real::real;

// All is ready for the iteration.
fn decide(sums: array<real, SUMS>) {
    numbers[RHO] = sums[0];
    control[PHASE] = ITERATE;
}
