// role: decision
import super::control::{IN_CYCLE, RESIDUAL, STEP};
import super::decide::{control, number, word};
import super::observe::judge;
import super::sizes::SUMS;
import roles::real::real;

// The paper's criterion: the step to the iterate that now stands, here relative to that.
fn decide(sums: array<real, SUMS>) {
    let step = select(f32(sqrt(sums[0] / sums[1])), 0.0f, sums[0] == 0.0);
    control[STEP] = word(step);
    judge(control[IN_CYCLE], number(RESIDUAL), step);
}
