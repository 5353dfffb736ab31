// What was found of each problem before: 1 where its slices are not solved alone, 2 where it is not dominant, 3 both.
@group(0) @binding(9) var<storage, read> verdicts: array<u32>;
// A bit for each verdict that makes a problem concern this kernel.
override ACCEPTED: u32 = 0u;

fn concerns(t: u32, share: Share, doubtful: bool) -> bool {
    return ((ACCEPTED >> verdicts[share.problem]) & 1u) != 0u;
}

// Whether any of a workgroup's problems concerns it.
fn concerned(w: u32, t: u32) -> bool {
    let base = share_of(w, 0u).base;
    var accepted = 0u;
    for (var lane = 0u; lane < min(LANES, params.problems - base); lane++) {
        accepted |= ACCEPTED >> verdicts[base + lane];
    }
    return (accepted & 1u) != 0u;
}
