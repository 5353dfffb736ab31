// The way back from the top of the coarse systems (pivoting_tree.wgsl) to the threads' own rows.

// Of each thread's part of a level; below 0 where rows below it are singular on their own, or its own are dependent.
var<workgroup> weakest_pivots: array<real, WORKGROUP>;

fn keep_weakest(t: u32, found: Elimination, rows: array<real4, ROWS>) {
    let doubtful = are_doubtful(rows) | (found.least < ROUNDED_OFTEN);
    weakest_pivots[t] = select(found.weakest_pivot, real(-1.0), doubtful);
}

// The first of the workgroup's problems.
var<private> own_base: u32;

fn note_singular(lane: u32) {
    let problem = own_base + lane;
    if (problem < params.problems && concerns(0u, Share(0u, own_base, problem, 0u, true), false)) {
        report_singular_partition(problem);
    }
}

// Behind the top, for each lane: the unknowns beside its slice.
fn beside_slice(lane: u32) -> u32 {
    return top + length_of(2u) + lane;
}

// The unknowns that a partition needs: before it, its first and last, and behind it.
fn known_at(start: u32, partitions: u32, here: Place) -> real4 {
    let first = 2u * here.chunk;
    let count = 2u * partitions;
    let outer = nodes[beside_slice(here.lane)];
    var known = real4(
        outer.x,
        nodes[node(start, count, first, here.lane)].x,
        nodes[node(start, count, first + 1u, here.lane)].x,
        outer.y,
    );
    if (here.chunk > 0u) {
        known.x = nodes[node(start, count, first - 1u, here.lane)].x;
    }
    if (here.chunk + 1u < partitions) {
        known.w = nodes[node(start, count, first + 2u, here.lane)].x;
    }
    return known;
}

// From the unknowns of the top, which stand in its rows' first places, to those that thread t's own rows need.
fn fall(t: u32, own: Place, mine: Part) -> real4 {
    var above = top;
    for (var level = levels; level > 0u; level--) {
        workgroupBarrier();
        let count = (2u << params.log_chunks) >> ((level - 1u) * LOG_STEP);
        let partitions = max(count / ROWS, 1u);
        let start = above - length_of(count);
        if (mine.level == level) {
            let weakest = weakest_pivots[t];
            let other = weakest_pivots[mine.partner];
            if (weakest > other || (weakest == other && !mine.from_below)) {
                let known = known_at(above, partitions, mine.here);
                let first = partition_at(start, count, mine.here);
                var inner: array<real, INNER>;
                if (weakest >= WEAK) {
                    inner = substituted(mine.kept, known_from(known, mine.from_below));
                } else {
                    let seen = select(known, known.wzyx, mine.from_below);
                    let solved = solved_inner(rows_at(first, mine.from_below), seen);
                    inner = solved.inner;
                    if (solved.doubtful) {
                        note_singular(mine.here.lane);
                    }
                }
                if (min(weakest, other) < 0.0) {
                    note_singular(mine.here.lane);
                }
                for (var i = 0u; i < INNER; i++) { // unroll
                    nodes[first + select(i + 1u, INNER - i, mine.from_below) * STEP].x = inner[i];
                }
                nodes[first].x = known.y;
                nodes[first + (ROWS - 1u) * STEP].x = known.z;
            }
        }
        above = start;
    }
    workgroupBarrier();
    return known_at(0u, CHUNKS, own);
}
