// A workgroup's blocks, merged four by four up to one a problem and solved down again.
//
// WORKGROUP threads hold the 2^LOG_CHUNKS chunks of each of LANES problems. A level's nodes lie
// behind those of the level below, in four planes, one for each rank among siblings, so that
// neighbouring threads find their children side by side; the planes are two nodes longer than
// need be, which keeps a rank's four siblings in different banks.
override WORKGROUP: u32 = 256u;
override LOG_CHUNKS: u32 = 8u;
override SYSTEMS_FIRST: bool = false;
override NODES: u32 = 416u;
override CHUNKS: u32 = 1u << LOG_CHUNKS;
override LANES: u32 = WORKGROUP >> LOG_CHUNKS;

// On the way up a node is a block's relations; once merged, a later sibling holds its seam
// instead (xyz); on the way down each gets its outer neighbours' values (w of `first`: x_prev,
// of `last`: x_next).
var<workgroup> node_first: array<real4, NODES>;
var<workgroup> node_last: array<real4, NODES>;

// A thread's chunk, and which of the workgroup's problems it belongs to.
struct Place {
    chunk: u32,
    lane: u32,
}

fn place(t: u32) -> Place {
    if (SYSTEMS_FIRST) {
        return Place(t / LANES, t % LANES);
    }
    return Place(t % CHUNKS, t / CHUNKS);
}

// The place of a node among all its level's parents, were it one, and among its siblings.
fn slot(chunk: u32, lane: u32, count: u32) -> u32 {
    let parents = max(count / 4u, 1u);
    let family = select(lane * parents + chunk / 4u, (chunk / 4u) * LANES + lane, SYSTEMS_FIRST);
    return (chunk % 4u) * (parents * LANES + 2u) + family;
}

fn leaf_slot(here: Place) -> u32 {
    return slot(here.chunk, here.lane, CHUNKS);
}

// Leaves are in place; returns where the problems' roots begin, one a lane.
fn tree_up(t: u32) -> u32 {
    var start = 0u;
    for (var count = CHUNKS; count > 1u; count = max(count / 4u, 1u)) {
        workgroupBarrier();
        let parents = max(count / 4u, 1u);
        let siblings = min(count, 4u);
        let plane = parents * LANES + 2u;
        let above = start + siblings * plane;
        if (t < parents * LANES) {
            var first = node_first[start + t];
            var last = node_last[start + t];
            for (var i = 1u; i < siblings; i++) {
                let at = start + i * plane + t;
                let seam = join(last, node_first[at]);
                first = through_next(first, seam.first);
                last = through_prev(node_last[at], seam.last);
                node_first[at] = seam.last;
                node_last[at] = seam.first;
            }
            var own = t;
            if (parents > 1u) {
                let chunk = select(t % parents, t / LANES, SYSTEMS_FIRST);
                let lane = select(t / parents, t % LANES, SYSTEMS_FIRST);
                own = slot(chunk, lane, parents);
            }
            node_first[above + own] = first;
            node_last[above + own] = last;
        }
        start = above;
    }
    workgroupBarrier();
    return start;
}

// The roots' w hold the slices' outer neighbours; ends with the leaves' in theirs.
fn tree_down(t: u32, roots: u32) {
    var above = roots;
    var level = (LOG_CHUNKS + 1u) / 2u;
    while (level > 0u) {
        workgroupBarrier();
        level--;
        let count = CHUNKS >> (2u * level);
        let parents = max(count / 4u, 1u);
        let siblings = min(count, 4u);
        let plane = parents * LANES + 2u;
        let start = above - siblings * plane;
        if (t < parents * LANES) {
            var own = t;
            if (parents > 1u) {
                let chunk = select(t % parents, t / LANES, SYSTEMS_FIRST);
                let lane = select(t / parents, t % LANES, SYSTEMS_FIRST);
                own = slot(chunk, lane, parents);
            }
            let prev = node_first[above + own].w;
            var next = node_last[above + own].w;
            for (var i = siblings - 1u; i > 0u; i--) {
                let at = start + i * plane + t;
                let last = value(node_first[at], prev, next);
                let first = value(node_last[at], prev, next);
                node_first[at].w = last;
                node_last[at].w = next;
                next = first;
            }
            node_first[start + t].w = prev;
            node_last[start + t].w = next;
        }
        above = start;
    }
    workgroupBarrier();
}
