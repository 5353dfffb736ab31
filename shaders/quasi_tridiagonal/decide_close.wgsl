// role: decision
import super::control::{DONE, ENDED, EXHAUSTED, ITERATE, OUTCOME, PHASE, VERIFY};
import super::decide::control;
import super::sizes::SUMS;
import roles::real::real;

// What was recorded ends here, whether the solve has or not.
override CYCLED: bool = false;

fn decide(sums: array<real, SUMS>) {
    let phase = control[PHASE];
    if (phase == DONE) {
        return;
    }
    if (CYCLED && phase == ITERATE) {
        control[ENDED] = EXHAUSTED;
        control[PHASE] = VERIFY;
    } else {
        control[OUTCOME] = EXHAUSTED;
        control[PHASE] = DONE;
    }
}
