// role: decision
import super::control::{
    AT_BEGIN, BEFORE, BEGIN, BROKE_DOWN, COLUMNS, CONVERGED, CYCLES, CYCLE_SCALE, DIVERGED, DONE, ENDED, EXHAUSTED,
    FRUITLESS, IN_CYCLE, ITERATIONS, MARK, MARKED_AT, NOT_FINITE, OUTCOME, PHASE, RESIDUAL, STAGNATED, TARGET,
};
import super::decide::{control, number, numbers, word};
import super::params::params;
import super::sizes::SUMS;
import roles::real::real;

// The true residual f - A y between cycles: whether that is all, or another cycle for what is left.
@group(0) @binding(4) var<storage, read_write> history: array<f32>;

const NORM = 1u;
const CYCLE_NORM = 2u;
const MOST_FRUITLESS = 4u;

fn done(outcome: u32) {
    control[OUTCOME] = outcome;
    control[PHASE] = DONE;
}

fn decide(sums: array<real, SUMS>) {
    let norm = sqrt(sums[0]);
    let residual = f32(norm / numbers[NORM]);
    let before = number(AT_BEGIN);
    let ended = control[ENDED];
    let iteration = control[ITERATIONS];
    control[RESIDUAL] = word(residual);
    history[min(iteration, params.most)] = residual;
    numbers[CYCLE_NORM] = norm;
    control[AT_BEGIN] = word(residual);
    control[CYCLE_SCALE] = word(residual);
    // A little less than is asked, since roundings part the recurrence's residual from the true one.
    control[TARGET] = word(max(0.9f * params.tolerance, params.floor * residual));
    control[MARK] = word(3e38f);
    control[MARKED_AT] = iteration;
    control[BEFORE] = iteration;
    control[IN_CYCLE] = 0u;
    control[COLUMNS] = 0u;
    control[CYCLES] += 1u;
    // Where a recurrence broke down, or had drifted away when it seemed to converge, another shadow residual may do, and
    // any progress counts.
    let may_repeat = ended == BROKE_DOWN || ended == CONVERGED;
    let is_fruitless = control[CYCLES] > 1u && residual > select(0.5f, 0.99f, may_repeat) * before;
    control[FRUITLESS] = select(0u, control[FRUITLESS] + 1u, is_fruitless);
    let finite = (bitcast<u32>(residual) & 0x7f800000u) != 0x7f800000u;
    if (!finite) {
        done(select(NOT_FINITE, ended, ended == DIVERGED));
    } else if (residual <= params.tolerance) {
        done(CONVERGED);
    } else if (iteration >= params.most) {
        done(EXHAUSTED);
    } else if (ended == DIVERGED && residual <= 2.0f * before) {
        // TFQMR knows a bound of its residual only, which grows while nothing else does.
        done(STAGNATED);
    } else if (ended == DIVERGED || ended == NOT_FINITE || ended == EXHAUSTED) {
        done(ended);
    } else if (control[FRUITLESS] >= select(1u, MOST_FRUITLESS, may_repeat)) {
        done(select(STAGNATED, BROKE_DOWN, ended == BROKE_DOWN));
    } else {
        control[PHASE] = BEGIN;
    }
}
