// The solve begins: A y = b / m, m being the largest entry of b, so that no norm leaves the range.
@group(0) @binding(4) var<storage, read_write> faults: array<u32, 4>;

const LARGEST = 0u;

fn decide(most: array<real, SUMS>) {
    for (var i = 0u; i < WORDS; i++) {
        control[i] = 0u;
    }
    numbers[LARGEST] = most[0];
    control[PHASE] = BEGIN;
    if (faults[0] != 0xffffffffu) {
        control[PHASE] = DONE;
        control[OUTCOME] = RHS_NOT_FINITE;
    } else if (most[0] == 0.0) {
        // x = 0, which `finish` writes: y is not looked at where m = 0.
        control[PHASE] = DONE;
        control[OUTCOME] = ZERO_RHS;
    }
}
