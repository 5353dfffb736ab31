// role: decision
import super::control::{CYCLE_SCALE, IN_CYCLE};
import super::decide::{control, number};
import super::observe::judge;
import super::sizes::SUMS;
import roles::real::real;

// An iteration has ended with this residual.
fn decide(sums: array<real, SUMS>) {
    let at = control[IN_CYCLE] + 1u;
    control[IN_CYCLE] = at;
    let residual = f32(sqrt(sums[0])) * number(CYCLE_SCALE);
    judge(at, residual, residual);
}
