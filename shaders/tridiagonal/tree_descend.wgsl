// Down the merges of tree.wgsl again.
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
        let plane = parents * LANES + 2u;
        let start = above - min(count, 4u) * plane;
        if (t < parents * LANES) {
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
    if (t < LANES) {
        set_neighbours(roots + t, beside_root.x, beside_root.y);
    }
    tree_down(t, roots);
    let at = leaf_slot(place(t));
    return vec2<real>(node_first[at].w, node_last[at].w);
}
