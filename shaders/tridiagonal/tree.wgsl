// A workgroup's blocks, merged four by four up to one a problem and solved down again.
override WORKGROUP: u32 = 256u;
override NODES: u32 = 416u;

// A level's nodes lie behind those of the level below. On the way up a node is a block's
// relations; once merged, a later sibling of a group holds its seam instead (xyz); on the
// way down each gets its outer neighbours' values (w of `first`: x_prev, of `last`: x_next).
var<workgroup> node_first: array<real4, NODES>;
var<workgroup> node_last: array<real4, NODES>;

const RADIX = 4u;
const MAX_LEVELS = 8u;

struct Place {
    chunk: u32,
    lane: u32,
    inside: bool,
}

// Which node of a level with `count` nodes a problem is thread t's.
fn place(t: u32, count: u32) -> Place {
    if (systems_first()) {
        return Place(t / params.lanes, t % params.lanes, t < count * params.lanes);
    }
    return Place(t % count, t / count, t < count * params.lanes);
}

fn slot(chunk: u32, lane: u32, count: u32) -> u32 {
    if (systems_first()) {
        return chunk * params.lanes + lane;
    }
    return lane * count + chunk;
}

struct Levels {
    start: array<u32, MAX_LEVELS>,
    count: array<u32, MAX_LEVELS>,
    top: u32,
}

// Leaves are in place at level 0; ends with one node a problem at level `top`.
fn tree_up(t: u32) -> Levels {
    var levels: Levels;
    var level = 0u;
    var start = 0u;
    var count = params.chunks;
    levels.start[0] = 0u;
    levels.count[0] = count;
    while (count > 1u) {
        workgroupBarrier();
        let parents = (count + RADIX - 1u) / RADIX;
        let above = start + count * params.lanes;
        let here = place(t, parents);
        if (here.inside) {
            let eldest = here.chunk * RADIX;
            var at = start + slot(eldest, here.lane, count);
            var first = node_first[at];
            var last = node_last[at];
            for (var i = 1u; i < RADIX; i++) {
                if (eldest + i < count) {
                    at = start + slot(eldest + i, here.lane, count);
                    let seam = join(last, node_first[at]);
                    first = through_next(first, seam.first);
                    last = through_prev(node_last[at], seam.last);
                    node_first[at] = seam.last;
                    node_last[at] = seam.first;
                }
            }
            at = above + slot(here.chunk, here.lane, parents);
            node_first[at] = first;
            node_last[at] = last;
        }
        start = above;
        count = parents;
        level++;
        levels.start[level] = start;
        levels.count[level] = count;
    }
    levels.top = level;
    workgroupBarrier();
    return levels;
}

// The top nodes' w hold the slices' outer neighbours; ends with the leaves' in theirs.
fn tree_down(t: u32, levels: Levels) {
    for (var level = levels.top; level > 0u; level--) {
        workgroupBarrier();
        let parents = levels.count[level];
        let count = levels.count[level - 1u];
        let here = place(t, parents);
        if (here.inside) {
            var at = levels.start[level] + slot(here.chunk, here.lane, parents);
            let prev = node_first[at].w;
            var next = node_last[at].w;
            let eldest = here.chunk * RADIX;
            for (var i = RADIX - 1u; i > 0u; i--) {
                if (eldest + i < count) {
                    at = levels.start[level - 1u] + slot(eldest + i, here.lane, count);
                    let last = value(node_first[at], prev, next);
                    let first = value(node_last[at], prev, next);
                    node_first[at].w = last;
                    node_last[at].w = next;
                    next = first;
                }
            }
            at = levels.start[level - 1u] + slot(eldest, here.lane, count);
            node_first[at].w = prev;
            node_last[at].w = next;
        }
    }
    workgroupBarrier();
}
