// role: decision
import super::breakdown::{check_shadow, checked_quotient};
import super::control::{CYCLE_SCALE, IN_CYCLE, ITERATE, PHASE};
import super::decide::{control, number, numbers};
import super::observe::judge;
import super::scalars::{ALPHA, ETA, KEPT, OMEGA, RHO, SIZES, TAU, THETA};
import super::sizes::SUMS;
import roles::real::real;

// The iteration before has ended with a bound of its residual; then alpha = rho / (v, shadow) for the two half steps of
// the next.
fn decide(sums: array<real, SUMS>) {
    let at = control[IN_CYCLE];
    control[IN_CYCLE] = at + 1u;
    let residual = f32(numbers[TAU] * sqrt(real(2u * at + 1u))) * number(CYCLE_SCALE);
    judge(at, residual, residual);
    if (at > 0u) {
        // (w, shadow), as the second half step left it.
        numbers[RHO] = numbers[OMEGA];
        check_shadow(numbers[OMEGA], numbers[SIZES]);
    }
    if (control[PHASE] == ITERATE) {
        check_shadow(sums[0], sums[1]);
        let alpha = checked_quotient(numbers[RHO], sums[0]);
        numbers[ALPHA] = alpha;
        numbers[KEPT] = checked_quotient(numbers[THETA] * numbers[THETA] * numbers[ETA], alpha);
    }
}
