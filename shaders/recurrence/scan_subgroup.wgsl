// The maps of a slice's chunks, composed over doubling distances by shuffles: within runs of lanes, then
// of the runs, of which there are no more than a run has lanes.
override SPAN: u32 = min(CHUNKS, RUN);
override RUNS: u32 = max(CHUNKS >> LOG_RUN, 1u);
var<workgroup> run_maps: array<Affine, WORKGROUP>;

fn scanned(t: u32, own: Affine) -> Scanned {
    // The lane of its subgroup, which may be of several runs, at which the thread's run begins.
    let start = t - t % RUN - subgroupMin(t);
    let at = t % SPAN;
    var map = own;
    for (var distance = 1u; distance < SPAN; distance *= 2u) {
        let before = from_before(map, distance);
        if (at >= distance) {
            map = then(before, map);
        }
    }
    var before = from_before(map, 1u);
    if (at == 0u) {
        before = identity();
    }
    if (RUNS == 1u) {
        return Scanned(before, from_lane(map, start + t % RUN - at + SPAN - 1u));
    }
    if (at + 1u == SPAN) {
        run_maps[t / RUN] = map;
    }
    workgroupBarrier();
    // Every run looks at all of its problem's.
    let run = (t % CHUNKS) / RUN;
    var runs = identity();
    if (at < RUNS) {
        runs = run_maps[(t / CHUNKS) * RUNS + at];
    }
    for (var distance = 1u; distance < RUNS; distance *= 2u) {
        let earlier = from_before(runs, distance);
        if (at >= distance) {
            runs = then(earlier, runs);
        }
    }
    // Moved by a lane first: of a lane counted as max(run, 1) - 1 an NVIDIA compiler (driver 580) made `run`.
    let runs_before = from_lane(from_before(runs, 1u), start + run);
    if (run > 0u) {
        before = then(runs_before, before);
    }
    let whole = from_lane(runs, start + RUNS - 1u);
    // Before anything else is written there.
    workgroupBarrier();
    return Scanned(before, whole);
}
