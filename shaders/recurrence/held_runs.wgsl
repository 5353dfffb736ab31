// role: held
import package::shared::lead::all_rows;
import package::shared::order::{REVERSE, SLICE_CHUNKS, start_of, units_as_they_lie};
import package::shared::place::{LOG_CHUNKS, LOG_RUN, RUN, Share};
import package::shared::problem::{matrix_base, params, rhs_base};
import package::shared::sizes::{INPUTS_WRITABLE, ROWS};
import package::shared::store_part::store_unit_in_part;
import package::shared::transpose::transposed;
import package::shared::workgroup::WORKGROUP;
import super::affine::{Affine, forgets};
import super::back::back;
import super::affine_chunk::{far_map_of, is_sound, quick_map_of, slow_map_of};
import super::far_slice::{Scanned, clear_range, far_scanned, has_left_range, note_range};
import super::near::{Near, far, near_then, near_value_behind};
import super::recurrence_rows::{AffineRows, ended};
import super::affine_values::{solve_rows, values_of};
import roles::affine_heads::{begin_at_heads, head_of};
import roles::digits::{DIGITS, MOST, exponent_of};
import roles::map::{identity, value_behind};
import roles::real::{UNIT, is_finite, real, unit_of};
import roles::s::{SAME_S, s_unit};
import roles::shuffle::from_before;
import roles::store::store_unit;
import roles::summary::no_rows;
import roles::t::{SAME_T, t_unit};

const UNITS = 0u; // set by Rust

// What a thread holds of a slice in one pass: a chunk of four units.
//
// A run of lanes loads and stores whole lines of memory, a unit per lane, and regroups them by fours. After load m lanes
// 4 g to 4 g + 3 hold the units of chunk g of the run's m-th quarter; lane 4 g + m takes that chunk.
//
// The first run holds rows of the slice before: where those forget what came before them, nobody has to be asked
// for the value before the slice.
alias Held = AffineRows;

// The values that those rows come to may be overwritten, where w lies over an input.
override HALO: bool = !INPUTS_WRITABLE;
override RUNS: u32 = WORKGROUP >> LOG_RUN;
override GROUPS: u32 = RUN / UNITS;
override QUARTERS: u32 = RUNS * UNITS;
// First each quarter's map, then what comes before it in the slice.
var<workgroup> quarter_maps: array<Near, QUARTERS>;
var<workgroup> whole_map: Near;

// Whether all values before a map are lost beside the last digits of its summand, or at all.
fn is_known(map: Near) -> bool {
    let lost = map.s.e + MOST < exponent_of(map.t) - DIGITS - 2;
    return is_finite(map.t) && (forgets(map.s) || lost);
}

struct HeldSlice {
    // What comes before the thread's chunk in its quarter. What comes before that stays in workgroup memory.
    chunk: Near,
    far: Scanned,
    is_far: bool,
}

// The first chunk of a thread's run; the first run's are those before the slice.
fn run_start(slice: u32, t: u32) -> u32 {
    return slice * SLICE_CHUNKS + (t / RUN) * RUN - RUN;
}

fn held_chunk(slice: u32, t: u32) -> u32 {
    return run_start(slice, t) + (t % UNITS) * GROUPS + (t % RUN) / UNITS;
}

// The unit of the sequence that a thread loads or stores as its i-th.
fn unit_at(slice: u32, t: u32, i: u32) -> u32 {
    let unit_of_chunk = select(t % UNITS, UNITS - 1u - t % UNITS, REVERSE);
    return start_of(run_start(slice, t) + i * GROUPS + (t % RUN) / UNITS) / UNIT + unit_of_chunk;
}

// Nothing is before the first slice.
fn is_held(slice: u32, t: u32) -> bool {
    return t >= RUN || (HALO && slice > 0u);
}

// Whether a slice and its halo consist of rows of the sequence only.
fn is_whole(base: u32, slice: u32) -> bool {
    let first = slice * SLICE_CHUNKS - select(0u, RUN, HALO && slice > 0u);
    let last = (slice + 1u) * SLICE_CHUNKS - 1u;
    return all_rows(base, min(start_of(first), start_of(last)), (last + 1u - first) * ROWS);
}

fn load_held(share: Share, t: u32) -> Held {
    var held: Held;
    if (is_held(share.slice, t)) {
        let base = matrix_base(share.problem);
        // A division, while the loads are under way.
        let head = head_of(held_chunk(share.slice, t));
        for (var i = 0u; i < UNITS; i++) { // unroll
            let at = unit_at(share.slice, t, i);
            let s_now = s_unit(share.problem, at, base);
            let t_now = t_unit(share.problem, at, base);
            for (var k = 0u; k < UNIT; k++) { // unroll
                held.s[i * UNIT + k] = select(s_now[k], s_now[UNIT - 1u - k], REVERSE);
                held.t[i * UNIT + k] = select(t_now[k], t_now[UNIT - 1u - k], REVERSE);
            }
        }
        if (!SAME_S) {
            held.s = transposed(held.s, t);
        }
        if (!SAME_T) {
            held.t = transposed(held.t, t);
        }
        held = begin_at_heads(held, head);
        if (!is_whole(base, share.slice)) {
            held = ended(held, share.problem, held_chunk(share.slice, t));
        }
    }
    return held;
}

// Before a barrier.
fn begin_held(t: u32) {
    if (t == 0u) {
        clear_range();
    }
}

// Neighbouring rows of the slice as one map, as many as the thread holds.
fn far_map_of_held(problem: u32, slice: u32, t: u32) -> Affine {
    if (t < RUN) {
        return identity();
    }
    return far_map_of(problem, slice * SLICE_CHUNKS + t - RUN);
}

// A slice that another workgroup should have told, as one map.
fn map_of_slice(problem: u32, slice: u32, t: u32) -> Affine {
    return far_scanned(t, far_map_of_held(problem, slice, t)).whole;
}

fn held_slice_of(share: Share, t: u32, held: Held) -> HeldSlice {
    var slice: HeldSlice;
    let at = t % RUN;
    let run = t / RUN;
    var map = quick_map_of(held);
    if (!is_sound(map) && is_held(share.slice, t)) {
        map = slow_map_of(share.problem, held_chunk(share.slice, t));
    }
    // Every fourth lane holds a chunk of the same quarter.
    for (var level = 2u; level < LOG_RUN + params.zero; level++) {
        let before = from_before(map, 1u << level);
        if (at >= 1u << level) {
            map = near_then(before, map);
        }
    }
    // Of what is held before the slice nobody asks for more than a known value.
    note_range(t < RUN || is_finite(map.t));
    if (at / UNITS + 1u == GROUPS) {
        quarter_maps[run * UNITS + at % UNITS] = map;
    }
    // LLVM 15 crashes on f64 of 16 lanes that are shifted by four where it knows that.
    slice.chunk = from_before(map, UNITS + params.zero);
    if (at < UNITS) {
        slice.chunk = no_rows();
    }
    workgroupBarrier();
    if (t < RUN) {
        let first = min(t, RUNS - 1u) * UNITS;
        var quarters: array<Near, UNITS>;
        map = no_rows();
        for (var i = 0u; i < UNITS; i++) { // unroll
            quarters[i] = quarter_maps[first + i];
            map = near_then(map, quarters[i]);
        }
        if (t == 0u) {
            if (HALO && share.slice > 0u && is_known(map)) {
                back.value = map.t;
                back.done = true;
            }
            map = no_rows();
        }
        for (var level = 0u; level < LOG_CHUNKS - LOG_RUN + params.zero; level++) {
            let before = from_before(map, 1u << level);
            if (t >= 1u << level) {
                map = near_then(before, map);
            }
        }
        note_range(t >= RUNS || is_finite(map.t));
        if (t + 1u == RUNS) {
            whole_map = map;
        }
        map = from_before(map, 1u);
        if (t > 0u && t < RUNS) {
            for (var i = 0u; i < UNITS; i++) { // unroll
                quarter_maps[first + i] = map;
                map = near_then(map, quarters[i]);
            }
        }
    }
    let is_far = has_left_range();
    slice.is_far = is_far;
    if (is_far) {
        slice.far = far_scanned(t, far_map_of_held(share.problem, share.slice, t));
    }
    return slice;
}

// Whether the values of the thread's run do not depend on the one before the slice, and may be stored before all have
// read theirs.
fn is_settled(slice: HeldSlice, t: u32) -> bool {
    return !slice.is_far && is_known(quarter_maps[t / RUN * UNITS]);
}

fn whole_of_held(slice: HeldSlice) -> Affine {
    if (slice.is_far) {
        return slice.far.whole;
    }
    return far(whole_map);
}

fn solve_held(share: Share, t: u32, held: Held, slice: HeldSlice, before: real) {
    if (t < RUN) {
        return;
    }
    var chunk = held_chunk(share.slice, t);
    let quarter = quarter_maps[t / RUN * UNITS + t % UNITS];
    var value = near_value_behind(slice.chunk, near_value_behind(quarter, before));
    if (slice.is_far) {
        chunk = share.slice * SLICE_CHUNKS + t - RUN;
        value = value_behind(slice.far.before, before);
    }
    var values = values_of(held, value);
    // Lanes store for each other: all or none.
    if (slice.is_far || subgroupAny(!is_finite(values[ROWS - 1u]))) {
        solve_rows(share.problem, chunk, value);
        return;
    }
    values = units_as_they_lie(transposed(values, t));
    let base = rhs_base(share.problem);
    // No branch between the stores of a whole slice.
    if (is_whole(base, share.slice)) {
        for (var i = 0u; i < UNITS; i++) { // unroll
            var now: array<real, UNIT>;
            for (var k = 0u; k < UNIT; k++) { // unroll
                now[k] = values[i * UNIT + k];
            }
            store_unit(base, unit_at(share.slice, t, i), unit_of(now));
        }
        return;
    }
    for (var i = 0u; i < UNITS; i++) { // unroll
        var now: array<real, UNIT>;
        for (var k = 0u; k < UNIT; k++) { // unroll
            now[k] = values[i * UNIT + k];
        }
        store_unit_in_part(base, unit_at(share.slice, t, i), now);
    }
}
