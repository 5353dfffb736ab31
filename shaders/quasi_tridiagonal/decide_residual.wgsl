// role: decision
import super::control::{BEFORE, CYCLE_SCALE, IN_CYCLE, RESIDUAL};
import super::decide::{control, number, word};
import super::observe::{history, judge};
import super::params::params;
import super::sizes::SUMS;
import roles::real::real;

// The residual of the iterate that stands.

// Only noted: the step from it will be judged.
override NOTED: bool = false;

fn decide(sums: array<real, SUMS>) {
    let at = control[IN_CYCLE];
    control[IN_CYCLE] = at + 1u;
    let residual = f32(sqrt(sums[0])) * number(CYCLE_SCALE);
    if (NOTED) {
        control[RESIDUAL] = word(residual);
        history[min(control[BEFORE] + at, params.most)] = residual;
    } else {
        judge(at, residual, residual);
    }
}
