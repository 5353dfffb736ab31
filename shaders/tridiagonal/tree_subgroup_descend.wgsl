// Down the merges of tree_subgroup.wgsl again.
fn step_down(outer: vec2<real>, across_seam: real4, right: bool) -> vec2<real> {
    let x = value(across_seam, outer.x, outer.y);
    return select(vec2<real>(outer.x, x), vec2<real>(x, outer.y), right);
}

// The values beside thread t's leaf, from those beside its problem.
fn descend(t: u32, beside_root: vec2<real>) -> vec2<real> {
    var outer = beside_root;
    if (LOG_CHUNKS > LOG_RUN) {
        for (var i = LOG_LANES; i > 0u; i--) { // unroll
            if (i - 1u + LOG_RUN < LOG_CHUNKS) {
                outer = step_down(outer, across_runs[i - 1u], (t & (1u << (i - 1u))) != 0u);
            }
        }
        // The problem's first run has all its runs' neighbours among its lanes. The blocks of
        // all runs were read before this: each was merged to get here.
        workgroupBarrier();
        if (t % CHUNKS < RUNS) {
            node_first[(t / CHUNKS) * RUNS + t % RUNS].w = outer.x;
            node_last[(t / CHUNKS) * RUNS + t % RUNS].w = outer.y;
        }
        workgroupBarrier();
        outer = vec2<real>(node_first[t / RUN].w, node_last[t / RUN].w);
    }
    for (var i = LOG_LANES; i > 0u; i--) { // unroll
        if (i - 1u < min(LOG_CHUNKS, LOG_RUN)) {
            outer = step_down(outer, across[i - 1u], (t & (1u << (i - 1u))) != 0u);
        }
    }
    return outer;
}
