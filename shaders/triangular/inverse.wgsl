import super::block_row::{left, work};
import super::diagonal::solved;
import super::eight::eight_solved;
import super::sizes::{BLOCK, EIGHT, EIGHTS, SPAN_ENTRIES, THREADS};
import super::well_conditioned::WELL_CONDITIONED;
import roles::eight::eight_of;
import roles::real::real;

const PART_COUNT = 0u; // set by Rust

// The diagonal block's inverse X, column by column by substitution (as N. J. Higham, "Stability of parallel
// triangular system solvers", 1995, has it in method B: D X - I is small componentwise). A thread holds
// SPAN entries of a row of it.
const PARTS: u32 = THREADS / BLOCK;
const SPAN: u32 = BLOCK / PARTS;

struct Inverse {
    x: array<real, SPAN_ENTRIES>,
}

var<workgroup> ill_conditioned: u32;

fn invert(t: u32) -> Inverse {
    let c = t % BLOCK;
    let part = t / BLOCK;
    var inverse: Inverse;
    // The column's rows that are this thread's: every PARTS'th eight of them.
    var v: array<real, SPAN_ENTRIES>;
    for (var m = 0u; m < EIGHTS; m++) { // unroll
        for (var e = 0u; e < EIGHT; e++) { // unroll
            v[m * 8u + e] = select(real(0.0), real(1.0), (m * PARTS + part) * 8u + e == c);
        }
    }
    for (var m = 0u; m < EIGHTS; m++) { // unroll
        for (var owner = 0u; owner < PARTS; owner++) {
            let step = m * PARTS + owner;
            if (part == owner) {
                for (var e = 0u; e < EIGHT; e++) { // unroll
                    work[e * BLOCK + c] = v[m * 8u + e];
                }
            }
            workgroupBarrier();
            var given: array<real, 8>;
            for (var e = 0u; e < EIGHT; e++) { // unroll
                given[e] = work[e * BLOCK + c];
            }
            let z = eight_solved(step, given, false);
            if (part == 0u) {
                for (var e = 0u; e < EIGHT; e++) { // unroll
                    work[(8u + e) * BLOCK + c] = z[e];
                }
            }
            for (var k = 0u; k < EIGHTS; k++) { // unroll
                if (k * PARTS + part > step) {
                    for (var e = 0u; e < EIGHT; e++) { // unroll
                        let factors = eight_of((k * PARTS + part) * 8u + e, step);
                        for (var f = 0u; f < EIGHT; f++) { // unroll
                            v[k * 8u + e] = fma(-factors[f], z[f], v[k * 8u + e]);
                        }
                    }
                }
            }
            workgroupBarrier();
            if (c / 8u == step) {
                for (var k = 0u; k < SPAN_ENTRIES; k++) { // unroll
                    inverse.x[k] = work[(8u + c % 8u) * BLOCK + part * SPAN + k];
                }
            }
        }
    }
    return inverse;
}

// Whether the inverse serves as well as substitution. For the workgroup.
fn is_well_conditioned(t: u32, inverse: Inverse) -> bool {
    let i = t % BLOCK;
    let part = t / BLOCK;
    if (t == 0u) {
        ill_conditioned = 0u;
    }
    var size = real(0.0);
    for (var m = 0u; m < EIGHTS; m++) { // unroll
        let eight = eight_of(i, part * EIGHTS + m);
        for (var e = 0u; e < EIGHT; e++) { // unroll
            size += abs(eight[e]);
        }
    }
    solved[t] = size;
    workgroupBarrier();
    if (t < BLOCK) {
        left[t] = sum_of_parts(t);
    }
    workgroupBarrier();
    size = real(0.0);
    for (var k = 0u; k < SPAN_ENTRIES; k++) { // unroll
        size = fma(abs(inverse.x[k]), left[part * SPAN + k], size);
    }
    solved[t] = size;
    workgroupBarrier();
    // NaN is not well conditioned.
    if (t < BLOCK && !(sum_of_parts(t) <= real(WELL_CONDITIONED))) {
        ill_conditioned = 1u;
    }
    return workgroupUniformLoad(&ill_conditioned) == 0u;
}

fn sum_of_parts(i: u32) -> real {
    var sum = real(0.0);
    for (var k = 0u; k < PART_COUNT; k++) { // unroll
        sum += solved[k * BLOCK + i];
    }
    return sum;
}

// A column of what is left, times the inverse: partial sums.
fn apply_inverse(t: u32, c: u32, inverse: Inverse) {
    var four: array<real, 4>;
    for (var k = 0u; k < SPAN_ENTRIES; k++) { // unroll
        four[k % 4u] = fma(inverse.x[k], left[c * BLOCK + t / BLOCK * SPAN + k], four[k % 4u]);
    }
    solved[t] = (four[0] + four[1]) + (four[2] + four[3]);
    workgroupBarrier();
}
