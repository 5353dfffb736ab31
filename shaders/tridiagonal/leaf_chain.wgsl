// role: leaf_tree
import package::shared::block::{Block, NONE_BEFORE, NONE_BEHIND, combine, through_next, value};
import package::shared::place::{CHUNKS, LOG_CHUNKS, LOG_RUN, RUN};
import super::tree_subgroup::{ascend_runs, descend_runs, node_first, node_last};
import roles::leaf::Leaf;
import roles::real::{is_finite, real, real4};

// Chunks of rows within runs of lanes, by parallel cyclic reduction of their last unknowns: half the
// work of merging them as blocks, and no way down but one step. The runs' blocks merge as those of
// tree_subgroup.wgsl.
override SPAN: u32 = min(CHUNKS, RUN);

// A chunk's first unknown, in terms of the last of the chunk before and its own last; its last, in
// terms of the unknowns beside its run.
var<private> head: real4;
var<private> tail: real4;

// The problem's block, where holds_root(t).
fn ascend_leaf(t: u32, leaf: Leaf) -> Block {
    let at = t % SPAN;
    head = leaf.head;
    // The next chunk's first unknown gives way to that chunk's last.
    let next_head = subgroupShuffleDown(leaf.head, 1u);
    tail = select(leaf.block.last, combine(NONE_BEFORE, leaf.block.last, next_head), at + 1u < SPAN);
    // Not unrolled: of lanes that a distance known beforehand leads out of the subgroup, LLVM 15, and
    // with it software Vulkan, makes a wrong vector shuffle and crashes.
    for (var distance = 1u; distance < SPAN; distance *= 2u) {
        let lo = select(NONE_BEFORE, subgroupShuffleUp(tail, distance), at >= distance);
        let hi = select(NONE_BEHIND, subgroupShuffleDown(tail, distance), at + distance < SPAN);
        tail = combine(lo, tail, hi);
    }
    // What overflowed in the last step has left a mark in the complement only.
    tail.z = select(tail.w, tail.z, is_finite(tail.w));
    let first = through_next(head, tail);
    if (LOG_CHUNKS > LOG_RUN) {
        if (at == 0u) {
            node_first[t / RUN] = first;
        }
        if (at + 1u == SPAN) {
            node_last[t / RUN] = tail;
        }
        return ascend_runs(t);
    }
    return Block(first, subgroupShuffleXor(tail, SPAN - 1u));
}

// The values beside thread t's chunk, from those beside its problem.
fn descend_leaf(t: u32, outer: vec2<real>) -> vec2<real> {
    let at = t % SPAN;
    var beside_run = outer;
    if (LOG_CHUNKS > LOG_RUN) {
        beside_run = descend_runs(t, outer);
    }
    let last = value(tail, beside_run.x, beside_run.y);
    let prev = select(subgroupShuffleUp(last, 1u), beside_run.x, at == 0u);
    let first = value(head, prev, last);
    let next = select(subgroupShuffleDown(first, 1u), beside_run.y, at + 1u == SPAN);
    return vec2<real>(prev, next);
}
