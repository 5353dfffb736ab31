// role: decision
import super::control::{CYCLE_SCALE, IN_CYCLE, STEP, X_AT};
import super::decide::{control, number, word};
import super::observe::judge;
import super::sizes::SUMS;
import roles::real::real;

// After a step of x_next = x + M^-1 (f - A x): the residual of x, the step from it, and x.
override BY_STEP: bool = false;

fn decide(sums: array<real, SUMS>) {
    let at = control[IN_CYCLE];
    let residual = f32(sqrt(sums[0])) * number(CYCLE_SCALE);
    var compared = residual;
    control[X_AT] = at % 2u;
    if (BY_STEP) {
        // Of x_next as well as makes no difference; 0 / 0 where both are.
        let size = sqrt(max(sums[1], sums[2]));
        compared = select(f32(sqrt(sums[1]) / size), 0.0f, sums[1] == 0.0);
        control[STEP] = word(compared);
        control[X_AT] = (at + 1u) % 2u;
    }
    control[IN_CYCLE] = at + 1u;
    judge(select(at, at + 1u, BY_STEP), residual, compared);
}
