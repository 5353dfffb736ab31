// The true residual f - A y between cycles: whether that is all, or another cycle for what is left.
@group(0) @binding(4) var<storage, read_write> history: array<f32>;

const NORM = 1u;
const CYCLE_NORM = 2u;

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
    let finite = (bitcast<u32>(residual) & 0x7f800000u) != 0x7f800000u;
    if (!finite) {
        done(select(NOT_FINITE, ended, ended == DIVERGED));
    } else if (residual <= params.tolerance) {
        done(CONVERGED);
    } else if (ended == DIVERGED || ended == NOT_FINITE || ended == EXHAUSTED) {
        done(ended);
    } else if (control[CYCLES] > 1u && residual > select(0.5f, 0.99f, ended == BROKE_DOWN) * before) {
        // A cycle that has brought nothing, though nothing but its recurrences may have been at fault.
        done(select(STAGNATED, BROKE_DOWN, ended == BROKE_DOWN));
    } else {
        control[PHASE] = BEGIN;
    }
}
