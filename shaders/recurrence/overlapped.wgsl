// role: kernel
import package::shared::order::row_of_step;
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import roles::digits::{DIGITS, LEAST, exponent_of};
import roles::initial::initial_of;
import roles::real::{is_finite, real};
import roles::s::s_at;
import roles::store::store_row;
import roles::t::t_at;

// Interleaved sequences in one launch (f32: 8 bytes per row read, and those of the overlap; 4 written). A thread computes one slice
// of a sequence, row after row. First it composes rows before the slice, from the nearest one back, until their map leaves nothing
// of the value before them. That supposes that no value is above 2^LOG_LARGEST. If a slice has a larger value, or too few rows
// before it, it is not settled: then the followers, the three launches, solve all sequences again. Neighbouring threads take
// neighbouring sequences, so that a load is one piece of memory.

const LOG_LARGEST: i32 = 40;
const LARGEST: real = 1099511627776.0;

const FOLLOWERS = 0u; // set by Rust
const FOLLOWER_WORDS = 0u; // set by Rust

// The grid of each follower; then the first size of each grid if the follower runs; last the number of workgroups that have ended,
// with a bit that some slice is not settled. These share a word, so that the last workgroup to end knows of all others.
@group(0) @binding(7) var<storage, read_write> followers: array<atomic<u32>, FOLLOWER_WORDS>;
const ENDED: u32 = FOLLOWER_WORDS - 1u;
const UNSETTLED: u32 = 0x80000000u;

// ROWS rows' coefficients.
struct Loaded {
    s: array<real, ROWS>,
    t: array<real, ROWS>,
}

// Rows from `step` on, in the order of the recurrence. Rows past the end have any coefficients.
fn rows_from(problem: u32, base: u32, step: u32) -> Loaded {
    var rows: Loaded;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows.s[i] = s_at(problem, row_of_step(step + i), base);
        rows.t[i] = t_at(problem, row_of_step(step + i), base);
    }
    return rows;
}

struct Before {
    value: real,
    known: bool,
}

// The value before a slice, which begins with row `first` in the order of the recurrence.
fn value_before_slice(problem: u32, base: u32, first: u32) -> Before {
    if (first == 0u) {
        return Before(initial_of(problem), true);
    }
    // w -> factor w + sum, where |factor| is below 2^level.
    var factor = real(1.0);
    var sum = real(0.0);
    var level = 1;
    var step = first;
    let last = first - min(first, params.overlap_rows);
    // The next rows arrive while these are composed: half the time.
    var ahead = rows_from(problem, base, step - ROWS);
    while (step > last) {
        step -= ROWS;
        let s = ahead.s;
        let t = ahead.t;
        ahead = rows_from(problem, base, max(step, ROWS) - ROWS);
        var product = real(1.0);
        var value = real(0.0);
        var anew = false;
        for (var i = 0u; i < ROWS; i++) { // unroll
            product *= s[i];
            value = fma(s[i], value, t[i]);
            anew = anew || s[i] == 0.0;
        }
        sum = fma(factor, value, sum);
        factor *= product;
        // Of what is subnormal, or 0 by rounding, no more is known than that it is below 2^LEAST.
        level += max(exponent_of(product), LEAST) + 1;
        let lost = level + LOG_LARGEST < max(exponent_of(sum), LEAST) - DIGITS - 1;
        if (is_finite(sum) && (anew || lost)) {
            return Before(sum, true);
        }
        // Rows that forget too slowly.
        if (first - step == params.overlap_rows / 4u && level > -(LOG_LARGEST + DIGITS) / 4) {
            return Before(sum, false);
        }
    }
    // The map of all rows before the slice, if its factor has all digits.
    let value = fma(factor, initial_of(problem), sum);
    return Before(value, step == 0u && exponent_of(factor) >= LEAST && is_finite(value));
}

// Whether the values of a slice are settled, which it writes then.
fn solve_slice(problem: u32, slice: u32) -> bool {
    let base = matrix_base(problem);
    let first = slice * params.slice_rows;
    let end = min(first + params.slice_rows, params.n);
    let before = value_before_slice(problem, base, first);
    if (!before.known) {
        return false;
    }
    var value = before.value;
    // An initial value, too.
    var largest = abs(value);
    var ahead = rows_from(problem, base, first);
    var step = first;
    for (; step + ROWS <= end; step += ROWS) {
        let s = ahead.s;
        let t = ahead.t;
        ahead = rows_from(problem, base, step + ROWS);
        for (var i = 0u; i < ROWS; i++) { // unroll
            value = fma(s[i], value, t[i]);
            largest = max(largest, abs(value));
            store_row(problem, row_of_step(step + i), value);
        }
        // NaN persists, so testing the last value suffices.
        if (!is_finite(value) || largest > LARGEST) {
            return false;
        }
    }
    for (; step < end; step++) {
        let row = row_of_step(step);
        value = fma(s_at(problem, row, base), value, t_at(problem, row, base));
        largest = max(largest, abs(value));
        store_row(problem, row, value);
    }
    return is_finite(value) && largest <= LARGEST;
}

// By one thread of each workgroup, after its last store.
fn end_workgroup() {
    let ended = atomicAdd(&followers[ENDED], 1u);
    if ((ended & ~UNSETTLED) + 1u < params.workgroups) {
        return;
    }
    for (var i = 0u; i < FOLLOWERS; i++) {
        let all = atomicLoad(&followers[4u * FOLLOWERS + i]);
        atomicStore(&followers[4u * i], select(0u, all, (ended & UNSETTLED) != 0u));
    }
    atomicStore(&followers[ENDED], 0u);
}

fn run(w: u32, t: u32) {
    let index = w * WORKGROUP + t;
    let slice = index / params.problems;
    // If a workgroup is not settled, the followers overwrite all values.
    let vain = (atomicLoad(&followers[ENDED]) & UNSETTLED) != 0u;
    if (slice < params.slices && !vain && !solve_slice(index % params.problems, slice)) {
        atomicOr(&followers[ENDED], UNSETTLED);
    }
    storageBarrier();
    if (t == 0u) {
        end_workgroup();
    }
}
