import roles::chain::wake_chain;

// What is found of each problem, by the first kernel to read it, and which dispatches behind it have work then. They are
// indirect ones: of each the size of its grid, and a bit for each verdict that concerns it; then of each the size that it
// has if there is any work; a bit for each verdict that has been given; the number of workgroups that have cleared their
// verdicts; then the problems' verdicts, 0 where all is well.
@group(0) @binding(9) var<storage, read_write> verdicts: array<atomic<u32>>;
override FOLLOWERS: u32 = 1u;

// What reaches a slice from beyond its halo is not below rounding; of packed problems: a slice with rows of several is in doubt.
const COUPLED = 1u;
// Rows are not dominant, or overflow.
const NOT_DOMINANT = 2u;

fn verdict_at(problem: u32) -> u32 {
    return 5u * FOLLOWERS + 2u + problem;
}

// By one thread for a problem of its workgroup.
fn give_verdict(problem: u32, verdict: u32) {
    atomicOr(&verdicts[verdict_at(problem)], verdict);
    let given = 5u * FOLLOWERS;
    let bit = 1u << verdict;
    // Looked at first: many may have the same to say.
    if ((atomicLoad(&verdicts[given]) & bit) != 0u || (atomicOr(&verdicts[given], bit) & bit) != 0u) {
        return;
    }
    wake_chain(bit);
    for (var i = 0u; i < FOLLOWERS; i++) {
        if ((atomicLoad(&verdicts[4u * i + 3u]) & bit) != 0u) {
            atomicStore(&verdicts[4u * i], atomicLoad(&verdicts[4u * FOLLOWERS + i]));
        }
    }
}
