// What a thread holds of a slice in one pass: a chunk of each of the EACH segments of its run of lanes. The chunks of
// a segment lie side by side, so that a run loads and stores whole lines of memory.
//
// The first run holds rows of the slice before: where those forget what came before them, nobody has to be asked
// for the value before the slice.
struct Held {
    chunks: array<Rows, EACH>,
}

// The values that those rows come to may be overwritten, where w lies over an input.
override HALO: bool = !INPUTS_WRITABLE;
override RUNS: u32 = WORKGROUP >> LOG_RUN;
override SEGMENTS: u32 = RUNS * EACH;
var<workgroup> segment_maps: array<Near, SEGMENTS>;
var<workgroup> run_maps: array<Near, RUNS>;

// Whether all values before a map are lost beside the last digits of its summand, or at all.
fn is_known(map: Near) -> bool {
    let lost = map.s.e + MOST < exponent_of(map.t) - DIGITS - 2;
    return is_finite(map.t) && (forgets(map.s) || lost);
}

struct Scan {
    before: Near,
    whole: Near,
}

struct HeldSlice {
    // What comes before the run, and the whole slice.
    run: Scan,
    // The chunks, each with what is before it in its segment.
    maps: array<Near, EACH>,
    far: Scanned,
    is_far: bool,
}

// The first of a thread's chunks; the others follow a run of chunks apart. The first run's are those before the slice.
fn held_start(slice: u32, t: u32) -> u32 {
    return slice * SLICE_CHUNKS + (t / RUN) * (EACH * RUN) - EACH * RUN + t % RUN;
}

// Nothing is before the first slice.
fn is_held(slice: u32, t: u32) -> bool {
    return t >= RUN || (HALO && slice > 0u);
}

// Whether all rows of a slice, and of what is held before it, are rows of the sequence.
fn is_whole(slice: u32) -> bool {
    return select((slice + 1u) * (SLICE_CHUNKS * ROWS) <= params.n, slice > 1u, REVERSE);
}

fn load_held(share: Share, t: u32) -> Held {
    var held: Held;
    if (is_held(share.slice, t)) {
        let start = held_start(share.slice, t);
        for (var j = 0u; j < EACH; j++) { // unroll
            held.chunks[j] = load_unended(share.problem, start + j * RUN);
        }
        // All loads are asked for without a branch between them.
        if (!is_whole(share.slice)) {
            for (var j = 0u; j < EACH; j++) { // unroll
                held.chunks[j] = ended(held.chunks[j], start + j * RUN);
            }
        }
    }
    return held;
}

// Neighbouring rows of the slice as one map, as many as the thread holds.
fn far_map_of_held(problem: u32, slice: u32, t: u32) -> Affine {
    var map = identity();
    for (var j = 0u; j < EACH && t >= RUN; j++) {
        map = then(map, far_map_of(problem, slice * SLICE_CHUNKS + (t - RUN) * EACH + j));
    }
    return map;
}

fn held_slice_of(share: Share, t: u32, held: Held) -> HeldSlice {
    var slice: HeldSlice;
    let at = t % RUN;
    let run = t / RUN;
    let start = held_start(share.slice, t);
    var sound = true;
    for (var j = 0u; j < EACH; j++) { // unroll
        slice.maps[j] = quick_map_of(held.chunks[j]);
        sound = sound && is_sound(slice.maps[j]);
    }
    // Rarely, and then for all in one loop: code costs time also where it is not run.
    for (var k = 0u; k < EACH && !sound && is_held(share.slice, t); k++) {
        let map = slow_map_of(share.problem, start + k * RUN);
        for (var j = 0u; j < EACH; j++) { // unroll
            if (j == k) {
                slice.maps[j] = map;
            }
        }
    }
    for (var level = 0u; level < LOG_RUN + params.zero; level++) {
        for (var j = 0u; j < EACH; j++) { // unroll
            let before = from_before(slice.maps[j], 1u << level);
            if (at >= 1u << level) {
                slice.maps[j] = near_then(before, slice.maps[j]);
            }
        }
    }
    if (at + 1u == RUN) {
        var map = no_rows();
        for (var j = 0u; j < EACH; j++) { // unroll
            segment_maps[run * EACH + j] = slice.maps[j];
            map = near_then(map, slice.maps[j]);
        }
        run_maps[run] = map;
    }
    for (var j = 0u; j < EACH; j++) { // unroll
        slice.maps[j] = from_before(slice.maps[j], 1u);
        if (at == 0u) {
            slice.maps[j] = no_rows();
        }
    }
    workgroupBarrier();
    if (t < RUN) {
        var map = run_maps[min(t, RUNS - 1u)];
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
        if (t < RUNS) {
            run_maps[t] = map;
        }
    }
    workgroupBarrier();
    slice.run = Scan(run_maps[max(run, 1u) - 1u], run_maps[RUNS - 1u]);
    var stays = stays_near(slice.run);
    for (var j = 0u; j < EACH; j++) { // unroll
        stays = stays && (t < RUN || (is_finite(slice.maps[j].t) && is_finite(segment_maps[run * EACH + j].t)));
    }
    slice.is_far = any_left_range(stays);
    if (slice.is_far) {
        slice.far = far_scanned(t, far_map_of_held(share.problem, share.slice, t));
    }
    return slice;
}

// Whether the values of the thread's rows do not depend on the one before the slice, and may be stored before all have
// read theirs.
fn is_settled(slice: HeldSlice) -> bool {
    return !INPUTS_WRITABLE && !slice.is_far && is_known(slice.run.before);
}

fn whole_of_held(slice: HeldSlice) -> Affine {
    if (slice.is_far) {
        return slice.far.whole;
    }
    return far(slice.run.whole);
}

fn solve_held(share: Share, t: u32, held: Held, slice: HeldSlice, before: real) {
    if (t < RUN) {
        return;
    }
    if (slice.is_far) {
        var value = value_behind(slice.far.before, before);
        for (var j = 0u; j < EACH; j++) {
            value = solve_rows(share.problem, share.slice * SLICE_CHUNKS + (t - RUN) * EACH + j, value, share.owned);
        }
        return;
    }
    let start = held_start(share.slice, t);
    var value = near_value_behind(slice.run.before, before);
    var befores: array<real, EACH>;
    var values: array<Values, EACH>;
    var all_finite = true;
    for (var j = 0u; j < EACH; j++) { // unroll
        befores[j] = near_value_behind(slice.maps[j], value);
        values[j] = values_of(held.chunks[j], befores[j]);
        all_finite = all_finite && is_finite(values[j].last);
        value = near_value_behind(segment_maps[(t / RUN) * EACH + j], value);
    }
    // All stores are asked for without a branch between them; few threads are left for the loop.
    let end = max(start_of(start), start_of(start + (EACH - 1u) * RUN)) + ROWS;
    if (all_finite && end <= params.n) {
        for (var j = 0u; j < EACH; j++) { // unroll
            store_whole_rows(share.problem, start_of(start + j * RUN), values[j].lying);
        }
        return;
    }
    for (var k = 0u; k < EACH; k++) {
        for (var j = 0u; j < EACH; j++) { // unroll
            if (j == k) {
                value = befores[j];
            }
        }
        value = solve_rows(share.problem, start + k * RUN, value, share.owned);
    }
}
