// role: held_outputs
import package::shared::lead::{all_rows, lead};
import package::shared::order::{REVERSE, SLICE_CHUNKS, place_of, start_of, units_as_they_lie};
import package::shared::place::{LOG_CHUNKS, LOG_RUN, RUN, Share};
import package::shared::problem::{matrix_base, params, rhs_base};
import package::shared::sizes::ROWS;
import package::shared::store_part::store_unit_in_part;
import package::shared::transpose::{LOG_UNITS, transposed};
import package::shared::workgroup::WORKGROUP;
import super::constants::{LEVELS, advanced_alike, into_basis};
import super::filter_rows::{Start, filtered};
import super::state::{State, no_state};
import roles::form::Filter;
import roles::real::{UNIT, real, unit_of};
import roles::shuffle::from_before;
import roles::signal::{signal_unit, signal_unit_within};
import roles::signal_heads::{parts_with_heads, places_since_head};
import roles::store::store_unit;
import roles::summary::joined;

const UNITS = 0u; // set by Rust

// What a thread holds of a slice in one pass: a chunk of UNITS units.
//
// A run of lanes loads and stores whole memory lines, one unit per lane. Load m covers part m of the run. In it, lanes
// UNITS g to UNITS g + UNITS - 1 hold the units of chunk g. After regrouping, lane UNITS g + m holds chunk g of part m.
struct HeldOutputs {
    // Outputs for state 0 before the slice (slice 0: the initial state).
    y: array<real, ROWS>,
    // The state before the chunk, for state 0 before its part.
    before: State,
}

override SLICE_RUNS: u32 = WORKGROUP >> LOG_RUN;
override GROUPS: u32 = RUN / UNITS;
override LOG_GROUPS: u32 = LOG_RUN - LOG_UNITS;
override PARTS: u32 = SLICE_RUNS * UNITS;
// First each part's final state for state 0, later the state before the part.
var<workgroup> part_states: array<State, PARTS>;
// The state before each run, for state 0 before the slice.
var<workgroup> run_states: array<State, SLICE_RUNS>;
var<workgroup> whole_state: State;

// The first chunk of a thread's run.
fn first_of_run(slice: u32, t: u32) -> u32 {
    return slice * SLICE_CHUNKS + (t / RUN) * RUN;
}

fn chunk_of_outputs(share: Share, t: u32) -> u32 {
    return first_of_run(share.slice, t) + (t % UNITS) * GROUPS + (t % RUN) / UNITS;
}

// The unit of the sequence that a thread loads or stores first. The next one is RUN units from there, and so on.
fn first_unit(slice: u32, t: u32) -> u32 {
    let unit_of_chunk = select(t % UNITS, UNITS - 1u - t % UNITS, REVERSE);
    return start_of(first_of_run(slice, t) + (t % RUN) / UNITS) / UNIT + unit_of_chunk;
}

// The i-th.
fn unit_from(first: u32, i: u32) -> u32 {
    return select(first + i * RUN, first - i * RUN, REVERSE);
}

// Whether all places of a slice are rows of the sequence.
fn whole_slice(base: u32, slice: u32) -> bool {
    let first = min(start_of(slice * SLICE_CHUNKS), start_of((slice + 1u) * SLICE_CHUNKS - 1u));
    return all_rows(base, first, SLICE_CHUNKS * ROWS);
}

fn filter_held(share: Share, t: u32, own: Filter, start: Start) -> HeldOutputs {
    let base = matrix_base(share.problem);
    let unit = first_unit(share.slice, t);
    let is_whole = whole_slice(base, share.slice);
    var rows: array<real, ROWS>;
    // In a whole slice every address has a constant offset from the first.
    if (is_whole) {
        for (var i = 0u; i < UNITS; i++) { // unroll
            let now = signal_unit_within(base, unit_from(unit, i));
            for (var k = 0u; k < UNIT; k++) { // unroll
                rows[i * UNIT + k] = select(now[k], now[UNIT - 1u - k], REVERSE);
            }
        }
    } else {
        for (var i = 0u; i < UNITS; i++) { // unroll
            let now = signal_unit(base, unit_from(unit, i));
            for (var k = 0u; k < UNIT; k++) { // unroll
                rows[i * UNIT + k] = select(now[k], now[UNIT - 1u - k], REVERSE);
            }
        }
    }
    rows = transposed(rows, t);
    if (!is_whole) {
        let at = start_of(chunk_of_outputs(share, t)) - lead(base);
        for (var i = 0u; i < ROWS; i++) { // unroll
            if (at + place_of(i) >= params.n) {
                rows[i] = 0.0;
            }
        }
    }
    let done = filtered(own, rows, start);
    var sum = into_basis(done.z);
    let group = (t % RUN) / UNITS;
    let part = t / RUN * UNITS + t % UNITS;
    // A head forgets the state before it.
    let since = places_since_head((chunk_of_outputs(share, t) + 1u) * ROWS);
    // Every UNITS-th lane holds a chunk of the same part.
    for (var level = 0u; level < LOG_GROUPS + params.zero; level++) {
        let earlier = from_before(sum, UNITS << level);
        if (group >= 1u << level && since > ROWS << level) {
            sum = advanced_alike(LEVELS + level, earlier, sum);
        }
    }
    if (group + 1u == GROUPS) {
        part_states[part] = sum;
    }
    // `params.zero` hides the constant: LLVM 15 crashes on f64 shifted by four lanes of 16.
    var before = from_before(sum, UNITS + params.zero);
    if (group == 0u) {
        before = no_state();
    }
    workgroupBarrier();
    if (t < RUN) {
        let run = min(t, SLICE_RUNS - 1u);
        let first = run * UNITS;
        let heads = heads_of_run(share.slice, run);
        var state = no_state();
        for (var i = 0u; i < UNITS; i++) { // unroll
            state = behind_part(heads, i, state, part_states[first + i]);
        }
        let since_run = places_since_head((share.slice * SLICE_CHUNKS + (run + 1u) * RUN) * ROWS);
        for (var level = 0u; level < LOG_CHUNKS - LOG_RUN + params.zero; level++) {
            let earlier = from_before(state, 1u << level);
            if (t >= 1u << level && since_run > (RUN * ROWS) << level) {
                state = advanced_alike(LEVELS + LOG_RUN + level, earlier, state);
            }
        }
        if (t + 1u == SLICE_RUNS) {
            whole_state = state;
        }
        state = from_before(state, 1u);
        if (t == 0u) {
            state = no_state();
        }
        if (t < SLICE_RUNS) {
            run_states[t] = state;
        }
    }
    workgroupBarrier();
    return HeldOutputs(done.y, before);
}

// Of a run's parts, those that contain heads.
fn heads_of_run(slice: u32, run: u32) -> u32 {
    return parts_with_heads((slice * SLICE_CHUNKS + run * RUN) * ROWS, GROUPS * ROWS, UNITS);
}

// The state behind a run's i-th part, given that before it and its own for state 0.
fn behind_part(heads: u32, i: u32, before: State, own: State) -> State {
    if (((heads >> i) & 1u) != 0u) {
        return own;
    }
    return advanced_alike(LEVELS + LOG_GROUPS, before, own);
}

fn sum_of_held(held: HeldOutputs) -> State {
    return whole_state;
}

// The state before the chunk, given that before the slice.
fn before_held(held: HeldOutputs, share: Share, t: u32, coming: State) -> State {
    if (t < SLICE_RUNS) {
        var state = run_states[t];
        if (places_since_head((share.slice * SLICE_CHUNKS + t * RUN) * ROWS) > t * RUN * ROWS) {
            state = joined(coming, state, t * RUN);
        }
        let heads = heads_of_run(share.slice, t);
        for (var i = 0u; i < UNITS; i++) { // unroll
            let sum = part_states[t * UNITS + i];
            part_states[t * UNITS + i] = state;
            state = behind_part(heads, i, state, sum);
        }
    }
    workgroupBarrier();
    let chunks_before = (t % RUN) / UNITS;
    if (places_since_head(chunk_of_outputs(share, t) * ROWS) <= chunks_before * ROWS) {
        return held.before;
    }
    return joined(part_states[t / RUN * UNITS + t % UNITS], held.before, chunks_before);
}

fn store_outputs(share: Share, t: u32, held: HeldOutputs) {
    let values = units_as_they_lie(transposed(held.y, t));
    let base = rhs_base(share.problem);
    let unit = first_unit(share.slice, t);
    // No branch between the stores of a whole slice.
    if (whole_slice(base, share.slice)) {
        for (var i = 0u; i < UNITS; i++) { // unroll
            var now: array<real, UNIT>;
            for (var k = 0u; k < UNIT; k++) { // unroll
                now[k] = values[i * UNIT + k];
            }
            store_unit(base, unit_from(unit, i), unit_of(now));
        }
        return;
    }
    for (var i = 0u; i < UNITS; i++) { // unroll
        var now: array<real, UNIT>;
        for (var k = 0u; k < UNIT; k++) { // unroll
            now[k] = values[i * UNIT + k];
        }
        store_unit_in_part(base, unit_from(unit, i), now);
    }
}
