// The maps of a slice's chunks, composed over doubling distances by shuffles: within runs of lanes, then
// of the runs, of which there are no more than a run has lanes. Rolled loops: code is fetched once.
override LOG_SPAN: u32 = min(LOG_CHUNKS, LOG_RUN);
override SPAN: u32 = 1u << LOG_SPAN;
override LOG_RUNS: u32 = LOG_CHUNKS - LOG_SPAN;
override RUNS: u32 = 1u << LOG_RUNS;
override ALL_RUNS: u32 = max(WORKGROUP >> LOG_RUN, 1u);
var<workgroup> run_maps: array<ScanMap, ALL_RUNS>;

fn scanned(t: u32, own: ScanMap) -> ScannedMaps {
    let at = t % SPAN;
    var map = own;
    for (var level = 0u; level < LOG_SPAN + params.zero; level++) {
        let before = from_before(map, 1u << level);
        if (at >= 1u << level) {
            map = scan_then(before, map);
        }
    }
    var before = from_before(map, 1u);
    if (at == 0u) {
        before = scan_identity();
    }
    if (RUNS == 1u) {
        // The lane of its subgroup, which may be of several runs, at which the thread's run begins.
        let start = t - t % RUN - subgroupMin(t);
        return ScannedMaps(before, from_lane(map, start + t % RUN - at + SPAN - 1u));
    }
    let run = t / RUN;
    if (at + 1u == SPAN) {
        run_maps[run] = map;
    }
    workgroupBarrier();
    if (t < RUN) {
        var runs = run_maps[min(t, ALL_RUNS - 1u)];
        for (var level = 0u; level < LOG_RUNS + params.zero; level++) {
            let earlier = from_before(runs, 1u << level);
            if (t % RUNS >= 1u << level) {
                runs = scan_then(earlier, runs);
            }
        }
        if (t < ALL_RUNS) {
            run_maps[t] = runs;
        }
    }
    workgroupBarrier();
    if (run % RUNS > 0u) {
        before = scan_then(run_maps[run - 1u], before);
    }
    return ScannedMaps(before, run_maps[run - run % RUNS + RUNS - 1u]);
}
