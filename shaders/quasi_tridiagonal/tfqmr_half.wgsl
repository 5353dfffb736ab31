// role: decision
import super::breakdown::checked_quotient;
import super::decide::numbers;
import super::scalars::{ALPHA, BETA, ETA, KEPT, OMEGA, RHO, SIZES, TAU, THETA};
import super::sizes::SUMS;
import roles::real::real;

// theta = ||w|| / tau, c^2 = 1 / (1 + theta^2), tau theta c, eta = c^2 alpha: the quasi-residual of a half step.
fn decide(sums: array<real, SUMS>) {
    let theta = checked_quotient(sqrt(sums[0]), numbers[TAU]);
    let cosine_squared = 1.0 / (1.0 + theta * theta);
    numbers[TAU] *= theta * sqrt(cosine_squared);
    numbers[ETA] = cosine_squared * numbers[ALPHA];
    numbers[THETA] = theta;
    numbers[KEPT] = theta * theta * cosine_squared;
    // Used after the second one.
    numbers[BETA] = sums[1] / numbers[RHO];
    numbers[OMEGA] = sums[1];
    numbers[SIZES] = sums[2];
}
