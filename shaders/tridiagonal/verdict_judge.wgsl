// The first kernel to read the problems says which are not dominant, or overflow so, and leaves them to others.
@group(0) @binding(9) var<storage, read_write> verdicts: array<atomic<u32>>;
const NOT_DOMINANT = 2u;

var<workgroup> doubts: array<atomic<u32>, LANES>;

fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    let lane = place(t).lane;
    if (t < LANES) {
        atomicStore(&doubts[t], 0u);
    }
    workgroupBarrier();
    if (doubtful) {
        atomicStore(&doubts[lane], 1u);
    }
    workgroupBarrier();
    if (t < LANES && share.base + t < params.problems && atomicLoad(&doubts[t]) != 0u) {
        atomicOr(&verdicts[share.base + t], NOT_DOMINANT);
    }
    return atomicLoad(&doubts[lane]) == 0u;
}
