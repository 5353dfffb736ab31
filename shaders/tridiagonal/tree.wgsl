// role: tree
import package::shared::block::{Block, join, through_next, through_prev, value};
import package::shared::place::{CHUNKS, PROBLEMS, Place, SYSTEMS_FIRST, place};
import roles::problem::params;
import roles::real::{real, real4};

// A workgroup's blocks, merged four by four up to one per problem and solved down again.
//
// A level's nodes lie behind those of the level below, in four planes, one for each rank among
// siblings, so that neighbouring threads find their children side by side; the planes are two
// nodes longer than need be, which keeps a rank's four siblings in different banks.
//
// On the way up a node is a block's relations. Siblings merge as (0 1) (2 3): then node 1 holds
// the seam of the first pair (xyz), 3 that of the second, 2 that between the pairs. On the way
// down each gets its outer neighbours' values (w of `first`: x_prev, of `last`: x_next).
override NODES: u32 = 416u;

var<workgroup> node_first: array<real4, NODES>;
var<workgroup> node_last: array<real4, NODES>;

// The place of a node among all its level's parents, were it one, and among its siblings.
fn slot(chunk: u32, local_problem: u32, count: u32) -> u32 {
    let parents = max(count / 4u, 1u);
    let family = select(local_problem * parents + chunk / 4u, (chunk / 4u) * PROBLEMS + local_problem, SYSTEMS_FIRST);
    return (chunk % 4u) * (parents * PROBLEMS + 2u) + family;
}

fn leaf_slot(here: Place) -> u32 {
    return slot(here.chunk, here.local_problem, CHUNKS);
}

// Where thread t's merged node goes.
fn parent_slot(t: u32, parents: u32) -> u32 {
    if (parents == 1u) {
        return t;
    }
    if (SYSTEMS_FIRST) {
        return slot(t / PROBLEMS, t % PROBLEMS, parents);
    }
    return slot(t % parents, t / parents, parents);
}

// Merges two blocks and leaves their seam at a node.
fn merge(left: Block, right: Block, at: u32) -> Block {
    let seam = join(left.last, right.first);
    node_first[at] = seam.last;
    node_last[at] = seam.first;
    return Block(through_next(left.first, seam.first), through_prev(right.last, seam.last));
}

// From the leaves to where the problems' roots begin.
fn tree_up(t: u32) -> u32 {
    var start = 0u;
    for (var count = 1u << params.log_chunks; count > 1u; count = max(count / 4u, 1u)) {
        workgroupBarrier();
        let parents = max(count / 4u, 1u);
        let plane = parents * PROBLEMS + 2u;
        let above = start + min(count, 4u) * plane;
        if (t < parents * PROBLEMS) {
            var at = start + t;
            var block = Block(node_first[at], node_last[at]);
            at += plane;
            block = merge(block, Block(node_first[at], node_last[at]), at);
            if (count > 2u) {
                // The other pair does not wait for the first.
                at += plane;
                let third = Block(node_first[at], node_last[at]);
                at += plane;
                let pair = merge(third, Block(node_first[at], node_last[at]), at);
                block = merge(block, pair, at - plane);
            }
            let own = above + parent_slot(t, parents);
            node_first[own] = block.first;
            node_last[own] = block.last;
        }
        start = above;
    }
    workgroupBarrier();
    return start;
}

var<private> roots: u32;

// Merges a problem's chunks. Thread t returns the root of the workgroup's problem t.
fn ascend(t: u32, leaf: Block) -> Block {
    let at = leaf_slot(place(t));
    node_first[at] = leaf.first;
    node_last[at] = leaf.last;
    roots = tree_up(t);
    let root = roots + min(t, PROBLEMS - 1u);
    return Block(node_first[root], node_last[root]);
}

fn holds_root(t: u32) -> bool {
    return t < PROBLEMS;
}

fn root_problem(t: u32) -> u32 {
    return t;
}

// The two unknowns at a node's seam: left of it, right of it.
fn seam_values(at: u32, prev: real, next: real) -> vec2<real> {
    return vec2<real>(value(node_first[at], prev, next), value(node_last[at], prev, next));
}

fn set_neighbours(at: u32, prev: real, next: real) {
    node_first[at].w = prev;
    node_last[at].w = next;
}

// The roots' w hold the slices' outer neighbours; ends with the leaves' in theirs.
fn tree_down(t: u32, roots: u32) {
    var above = roots;
    var level = (params.log_chunks + 1u) / 2u;
    while (level > 0u) {
        workgroupBarrier();
        level--;
        let count = CHUNKS >> (2u * level);
        let parents = max(count / 4u, 1u);
        let plane = parents * PROBLEMS + 2u;
        let start = above - min(count, 4u) * plane;
        if (t < parents * PROBLEMS) {
            let own = above + parent_slot(t, parents);
            var prev = node_first[own].w;
            var next = node_last[own].w;
            let at = start + t;
            if (count > 2u) {
                let middle = seam_values(at + 2u * plane, prev, next);
                let right = seam_values(at + 3u * plane, middle.x, next);
                set_neighbours(at + 2u * plane, middle.x, right.y);
                set_neighbours(at + 3u * plane, right.x, next);
                next = middle.y;
            }
            let left = seam_values(at + plane, prev, next);
            set_neighbours(at, prev, left.y);
            set_neighbours(at + plane, left.x, next);
        }
        above = start;
    }
    workgroupBarrier();
}

// The values beside thread t's leaf, from those beside problem t, where there is one.
fn descend(t: u32, beside_root: vec2<real>) -> vec2<real> {
    if (t < PROBLEMS) {
        set_neighbours(roots + t, beside_root.x, beside_root.y);
    }
    tree_down(t, roots);
    let at = leaf_slot(place(t));
    return vec2<real>(node_first[at].w, node_last[at].w);
}
