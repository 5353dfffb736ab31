import super::control::{
    AT_BEGIN, BEFORE, BROKE_DOWN, CONVERGED, DIVERGED, DONE, ENDED, EXHAUSTED, ITERATIONS, MARK, MARKED_AT, NOT_FINITE,
    OUTCOME, PHASE, RESIDUAL, STAGNATED, TARGET, VERIFY,
};
import super::decide::{control, number, word};
import super::params::params;
import roles::real::{NOISE, real};

// What an iteration's residual means for the solve.
@group(0) @binding(4) var<storage, read_write> history: array<f32>;

// Whether the residual of each iteration is the true one, so that nothing is left to confirm.
override EXACT: bool = false;
// Whether it is a bound, which grows where nothing else does.
override BOUND: bool = false;

// Iterations above a residual that was reached, after which a recurrence is given up.
const THROWN_BACK = 30u;
// What patience asks for: so much less than when it was last renewed.
const PROGRESS = 0.99f;

// By its bits: compilers may take it that no number is NaN.
fn is_number(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

fn end(outcome: u32) {
    if (EXACT) {
        control[OUTCOME] = outcome;
        control[PHASE] = DONE;
    } else {
        control[ENDED] = outcome;
        control[PHASE] = VERIFY;
    }
}

// The residual after so many iterations of this cycle, and what the tolerance is compared with: the same, or a step.
fn judge(in_cycle: u32, residual: f32, compared: f32) {
    let iteration = control[BEFORE] + in_cycle;
    control[ITERATIONS] = iteration;
    control[RESIDUAL] = word(residual);
    history[min(iteration, params.most)] = residual;
    if (EXACT && in_cycle <= 1u) {
        // What is guessed may be far worse than 0.
        control[AT_BEGIN] = word(max(number(AT_BEGIN), residual));
    }
    if (!is_number(residual) || !is_number(compared)) {
        end(NOT_FINITE);
    } else if (compared <= number(TARGET)) {
        end(CONVERGED);
    } else if (0.1 * NOISE * real(residual) > real(number(AT_BEGIN))) {
        // From so far up nothing of the solution comes back.
        end(DIVERGED);
    } else if (iteration >= params.most) {
        end(EXHAUSTED);
    } else if (residual < PROGRESS * number(MARK)) {
        control[MARK] = word(residual);
        control[MARKED_AT] = iteration;
    } else if (!EXACT && !BOUND && iteration - control[MARKED_AT] >= THROWN_BACK && residual > 2.0f * number(MARK)
        && number(MARK) < 0.1f * number(AT_BEGIN)) {
        // It had come far down: rounding has thrown the recurrence back, from which it may not recover.
        end(BROKE_DOWN);
    } else if (iteration - control[MARKED_AT] >= params.patience) {
        // It has come no lower for long: it grows, or stands, as it does too where rounding throws it back.
        end(select(STAGNATED, DIVERGED, residual > 2.0f * max(number(MARK), number(AT_BEGIN))));
    }
}
