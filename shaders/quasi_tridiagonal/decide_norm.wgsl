// role: decision
import super::control::{AT_BEGIN, CYCLE_SCALE, ENDED, ITERATE, MARK, PHASE, RESIDUAL, TARGET, VERIFY};
import super::decide::{control, numbers, word};
import super::params::params;
import super::sizes::SUMS;
import roles::real::real;

// The norm of f is known: residuals are relative to it from now on.
@group(0) @binding(4) var<storage, read_write> history: array<f32>;

// Straight into the iteration, or by cycles.
override CYCLED: bool = false;

const NORM = 1u;

fn decide(sums: array<real, SUMS>) {
    let norm = sqrt(sums[0]);
    numbers[NORM] = norm;
    control[CYCLE_SCALE] = word(1.0f / f32(norm));
    control[TARGET] = word(params.tolerance);
    control[AT_BEGIN] = word(1.0f);
    control[MARK] = word(3e38f);
    control[RESIDUAL] = word(1.0f);
    history[0] = 1.0f;
    control[PHASE] = select(ITERATE, VERIFY, CYCLED);
    control[ENDED] = 0u;
}
