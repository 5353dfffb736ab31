// role: decision
import super::breakdown::{check_shadow, checked_quotient};
import super::control::{CYCLE_SCALE, IN_CYCLE, ITERATE, PHASE};
import super::decide::{control, number, numbers};
import super::observe::judge;
import super::scalars::{ALPHA, BETA, OMEGA, RHO};
import super::sizes::SUMS;
import roles::real::real;

// beta = (rho' / rho) (alpha / omega).
fn decide(sums: array<real, SUMS>) {
    let at = control[IN_CYCLE] + 1u;
    control[IN_CYCLE] = at;
    let residual = f32(sqrt(sums[0])) * number(CYCLE_SCALE);
    judge(at, residual, residual);
    if (control[PHASE] == ITERATE) {
        numbers[BETA] = checked_quotient(sums[1], numbers[RHO]) * checked_quotient(numbers[ALPHA], numbers[OMEGA]);
        numbers[RHO] = sums[1];
        check_shadow(sums[1], sums[2]);
    }
}
