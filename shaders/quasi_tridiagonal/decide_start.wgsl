// role: decision
import super::control::{BEGIN, DONE, FAULTS, OUTCOME, PHASE, RHS_NOT_FINITE, WORDS, ZERO_RHS};
import super::decide::{control, numbers};
import super::sizes::SUMS;
import roles::real::{NORMAL, real};

// The solve begins: A y = b / m, m being the power of two next to the largest entry of b, so that no norm leaves the range
// and nothing is rounded.
@group(0) @binding(4) var<storage, read_write> faults: array<u32, FAULTS>;

const LARGEST = 0u;

// The power of two at or below x, where that is a normal number.
fn power_below(x: real) -> real {
    var power = real(1.0);
    while (2.0 * power <= x) {
        power *= 2.0;
    }
    while (power > x && 0.25 * power > NORMAL) {
        power *= 0.5;
    }
    return power;
}

fn decide(most: array<real, SUMS>) {
    for (var i = 0u; i < WORDS; i++) {
        control[i] = 0u;
    }
    numbers[LARGEST] = select(power_below(most[0]), 0.0, most[0] == 0.0);
    control[PHASE] = BEGIN;
    // What is wrong with b is kept for the host, and the words are free for this solve.
    let bad = faults[0];
    faults[0] = 0xffffffffu;
    faults[1] = 0xffffffffu;
    faults[2] = 0u;
    faults[3] = bad;
    faults[4] = 0xffffffffu;
    faults[5] = 0u;
    if (bad != 0xffffffffu) {
        control[PHASE] = DONE;
        control[OUTCOME] = RHS_NOT_FINITE;
    } else if (most[0] == 0.0) {
        // x = 0, which `finish` writes: y is not looked at where m = 0.
        control[PHASE] = DONE;
        control[OUTCOME] = ZERO_RHS;
    }
}
