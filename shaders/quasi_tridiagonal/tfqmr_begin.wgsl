// role: decision
import super::control::{ITERATE, PHASE};
import super::decide::{control, numbers};
import super::scalars::{ETA, RHO, TAU, THETA};
import super::sizes::SUMS;
import roles::real::real;

// Freund (1993): tau is the norm of the residual, rho its product with the shadow residual.
fn decide(sums: array<real, SUMS>) {
    numbers[RHO] = sums[0];
    numbers[TAU] = sqrt(sums[2]);
    numbers[THETA] = 0.0;
    numbers[ETA] = 0.0;
    control[PHASE] = ITERATE;
}
