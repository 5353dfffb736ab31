// The coarse systems of a workgroup's slices, one above the other: of 2 CHUNKS rows first, of two at the top. A
// level's rows lie behind those of the level below, with a gap after every ROWS of them, which keeps threads that each
// read a partition in different banks.
override NODES: u32 = 1024u;

var<workgroup> nodes: array<real4, NODES>;

// Numbers that a level of so many rows takes.
fn length_of(count: u32) -> u32 {
    return LANES * (count + (count - 1u) / ROWS);
}

fn node(start: u32, count: u32, row: u32, lane: u32) -> u32 {
    let place = row + row / ROWS;
    return start + select(lane * (count + (count - 1u) / ROWS) + place, place * LANES + lane, SYSTEMS_FIRST);
}

// Where thread t finds its partition of a level of so many.
fn place_among(t: u32, partitions: u32) -> Place {
    if (SYSTEMS_FIRST) {
        return Place(t / LANES, t % LANES);
    }
    return Place(t % partitions, t / partitions);
}

fn put_ends(start: u32, count: u32, here: Place, ends: Ends) {
    nodes[node(start, count, 2u * here.chunk, here.lane)] = ends.first;
    nodes[node(start, count, 2u * here.chunk + 1u, here.lane)] = ends.last;
}

// A partition of a level; a system's only one may have fewer rows than ROWS.
fn rows_at(start: u32, count: u32, here: Place) -> array<real4, ROWS> {
    var rows: array<real4, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows[i] = NO_ROW;
        if (i < count) {
            rows[i] = nodes[node(start, count, here.chunk * ROWS + i, here.lane)];
        }
    }
    return rows;
}

// Where the highest level begins; its number, from 0; which of a thread's partitions are substituted from below, a bit
// a level.
var<private> top: u32;
var<private> levels: u32;
var<private> turned: u32;

// From the ends of the threads' rows to where a slice has two rows left.
fn rise(t: u32, ends: Ends) {
    var start = 0u;
    var count = 2u << params.log_chunks;
    levels = 0u;
    turned = 0u;
    put_ends(start, count, place(t), ends);
    while (count > 2u) {
        workgroupBarrier();
        let partitions = max(count / ROWS, 1u);
        let above = start + length_of(count);
        if (t < partitions * LANES) {
            let here = place_among(t, partitions);
            let coarser = ends_of(rows_at(start, count, here));
            turned |= select(0u, 1u << levels, coarser.from_below);
            put_ends(above, 2u * partitions, here, coarser);
        }
        start = above;
        count = 2u * partitions;
        levels++;
    }
    workgroupBarrier();
    top = start;
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
fn fall(t: u32) -> real4 {
    var above = top;
    for (var level = levels; level > 0u; level--) {
        workgroupBarrier();
        let below = level - 1u;
        let count = (2u << params.log_chunks) >> (below * LOG_STEP);
        let partitions = max(count / ROWS, 1u);
        let start = above - length_of(count);
        if (t < partitions * LANES) {
            let here = place_among(t, partitions);
            let known = known_at(above, partitions, here);
            let values = substituted(rows_at(start, count, here), (turned & (1u << below)) != 0u, known);
            for (var i = 0u; i < ROWS; i++) { // unroll
                if (i < count) {
                    nodes[node(start, count, here.chunk * ROWS + i, here.lane)].x = values[i];
                }
            }
        }
        above = start;
    }
    workgroupBarrier();
    return known_at(0u, CHUNKS, place(t));
}
