// As verdict_follow.wgsl, of the last dispatch, which clears the verdicts for the next solve: whoever is the last of a
// problem's slices to read its verdict. Where all is well there is nothing to clear.
@group(0) @binding(9) var<storage, read_write> verdicts: array<atomic<u32>>;
override ACCEPTED: u32 = 0u;

var<workgroup> found: array<u32, LANES>;
var<workgroup> some_accepted: u32;

fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    return ((ACCEPTED >> found[place(t).lane]) & 1u) != 0u;
}

fn concerned(w: u32, t: u32) -> bool {
    let base = share_of(w, 0u).base;
    let problem = base + t;
    if (t < LANES) {
        found[t] = 0u;
    }
    if (t < LANES && problem < params.problems) {
        found[t] = atomicLoad(&verdicts[problem]);
        let readers = params.problems + problem;
        if (found[t] != 0u && atomicAdd(&verdicts[readers], 1u) + 1u == params.slices) {
            atomicStore(&verdicts[problem], 0u);
            atomicStore(&verdicts[readers], 0u);
        }
    }
    workgroupBarrier();
    if (t == 0u) {
        some_accepted = 0u;
        for (var lane = 0u; lane < min(LANES, params.problems - base); lane++) {
            some_accepted |= (ACCEPTED >> found[lane]) & 1u;
        }
    }
    return workgroupUniformLoad(&some_accepted) != 0u;
}
