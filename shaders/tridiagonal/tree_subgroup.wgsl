// role: tree
import package::shared::block::{Block, value};
import package::shared::place::{CHUNKS, LOG_CHUNKS, LOG_RUN, RUN};
import super::exchange::exchange;
import super::merge::merge_with;
import super::sizes::LOG_LANES;
import roles::real::{real, real4};

// A workgroup's blocks, merged two by two with shuffles: every lane of a merged block holds it
// whole, and keeps of each seam what its own side will need. Once within runs of RUN lanes, then,
// where a problem has more chunks, once more over its runs' blocks, which every run merges for
// itself. More work than tree.wgsl, but a barrier instead of a chain of them: on an H200 a tenth
// faster at every size.
override NODES: u32 = 416u;
override RUNS: u32 = max(CHUNKS >> LOG_RUN, 1u);

// A run's block, one behind the other; then its neighbours' values, in w.
var<workgroup> node_first: array<real4, NODES>;
var<workgroup> node_last: array<real4, NODES>;

// For the side of each seam that a lane is on: the unknown just across.
var<private> across: array<real4, LOG_LANES>;
var<private> across_runs: array<real4, LOG_LANES>;

fn ascend(t: u32, leaf: Block) -> Block {
    var block = leaf;
    for (var i = 0u; i < LOG_LANES; i++) { // unroll
        if (i < min(LOG_CHUNKS, LOG_RUN)) {
            let merged = merge_with(block, exchange(block, 1u << i), (t & (1u << i)) != 0u);
            block = merged.block;
            across[i] = merged.across;
        }
    }
    if (LOG_CHUNKS > LOG_RUN) {
        if (t % RUN == 0u) {
            node_first[t / RUN] = block.first;
            node_last[t / RUN] = block.last;
        }
        block = ascend_runs(t);
    }
    return block;
}

// From the runs' blocks, which have just been written.
fn ascend_runs(t: u32) -> Block {
    workgroupBarrier();
    let node = (t / CHUNKS) * RUNS + t % RUNS;
    var block = Block(node_first[node], node_last[node]);
    for (var i = 0u; i < LOG_LANES; i++) { // unroll
        if (i + LOG_RUN < LOG_CHUNKS) {
            let merged = merge_with(block, exchange(block, 1u << i), (t & (1u << i)) != 0u);
            block = merged.block;
            across_runs[i] = merged.across;
        }
    }
    return block;
}

fn holds_root(t: u32) -> bool {
    return t % CHUNKS == 0u;
}

fn root_problem(t: u32) -> u32 {
    return t / CHUNKS;
}

fn step_down(outer: vec2<real>, across_seam: real4, right: bool) -> vec2<real> {
    let x = value(across_seam, outer.x, outer.y);
    return select(vec2<real>(outer.x, x), vec2<real>(x, outer.y), right);
}

// The values beside thread t's leaf, from those beside its problem.
fn descend(t: u32, beside_root: vec2<real>) -> vec2<real> {
    var outer = beside_root;
    if (LOG_CHUNKS > LOG_RUN) {
        outer = descend_runs(t, beside_root);
    }
    for (var i = LOG_LANES; i > 0u; i--) { // unroll
        if (i - 1u < min(LOG_CHUNKS, LOG_RUN)) {
            outer = step_down(outer, across[i - 1u], (t & (1u << (i - 1u))) != 0u);
        }
    }
    return outer;
}

// The values beside thread t's run.
fn descend_runs(t: u32, beside_root: vec2<real>) -> vec2<real> {
    var outer = beside_root;
    for (var i = LOG_LANES; i > 0u; i--) { // unroll
        if (i - 1u + LOG_RUN < LOG_CHUNKS) {
            outer = step_down(outer, across_runs[i - 1u], (t & (1u << (i - 1u))) != 0u);
        }
    }
    // The problem's first run has all its runs' neighbours among its lanes. The blocks of all runs
    // were read before this: each was merged to get here.
    workgroupBarrier();
    if (t % CHUNKS < RUNS) {
        node_first[(t / CHUNKS) * RUNS + t % RUNS].w = outer.x;
        node_last[(t / CHUNKS) * RUNS + t % RUNS].w = outer.y;
    }
    workgroupBarrier();
    return vec2<real>(node_first[t / RUN].w, node_last[t / RUN].w);
}
