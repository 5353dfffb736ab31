// The coarse systems of a workgroup's slices, one above the other: of 2 CHUNKS rows first, of two at the top. A
// level's rows lie behind those of the level below, with a gap after every ROWS of them, which keeps threads that each
// read a partition in different banks.
//
// Each partition of a level is eliminated by two threads, one from above and one from below. Every level has threads of
// its own, which hold what they will substitute with until its unknowns are known.
override NODES: u32 = 1024u;

var<workgroup> nodes: array<real4, NODES>;

// From a row of a partition to the next.
override STEP: u32 = select(1u, LANES, SYSTEMS_FIRST);

// Numbers that a level of so many rows takes.
fn length_of(count: u32) -> u32 {
    return LANES * (count + (count - 1u) / ROWS);
}

// The first row of a partition of a level.
fn partition_at(start: u32, count: u32, here: Place) -> u32 {
    let row = here.chunk * (ROWS + 1u);
    return start + select(here.lane * (count + (count - 1u) / ROWS) + row, row * LANES + here.lane, SYSTEMS_FIRST);
}

fn node(start: u32, count: u32, row: u32, lane: u32) -> u32 {
    return partition_at(start, count, Place(row / ROWS, lane)) + row % ROWS * STEP;
}

// A thread's part of a level, if any.
struct Part {
    level: u32,
    here: Place,
    from_below: bool,
    // The thread that goes the other way.
    partner: u32,
    kept: Kept,
}

// A system's only partition may have fewer than ROWS, 4 at the least: the last two stand at its end, so that the first and
// last unknown are a partition's as ever, and two rows that are left of one partition below stay together.
fn is_row(at: u32, count: u32) -> bool {
    return at + 2u < count || at + 2u >= ROWS;
}

fn row_of(at: u32, count: u32) -> u32 {
    return select(at, at + count - ROWS, at + 2u >= ROWS && count < ROWS);
}

// The rows of a partition that begins at `first`, in the order of their elimination.
fn rows_at(first: u32, count: u32, from_below: bool) -> array<real4, ROWS> {
    var rows: array<real4, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let at = select(i, ROWS - 1u - i, from_below);
        rows[i] = seen_from(PASSED_ON, from_below);
        if (is_row(at, count)) {
            rows[i] = seen_from(nodes[first + row_of(at, count) * STEP], from_below);
        }
    }
    return rows;
}

// Where the highest level begins, and how many there are.
var<private> top: u32;
var<private> levels: u32;

// From the ends of the threads' rows to where a slice has two rows left.
fn rise(t: u32, own: Place, pair: Pair) -> Part {
    var mine: Part;
    mine.level = 0u;
    var start = 0u;
    var count = 2u << params.log_chunks;
    var first_thread = 0u;
    levels = 0u;
    nodes[node(start, count, 2u * own.chunk, own.lane)] = pair.first;
    nodes[node(start, count, 2u * own.chunk + 1u, own.lane)] = pair.last;
    while (count > 2u) {
        workgroupBarrier();
        levels++;
        let partitions = max(count / ROWS, 1u);
        let above = start + length_of(count);
        let team = partitions * LANES;
        // Of threads before the first this is past all.
        let turn = t - first_thread;
        if (turn < 2u * team) {
            mine.level = levels;
            mine.from_below = turn >= team;
            let among = select(turn, turn - team, mine.from_below);
            mine.partner = select(t + team, t - team, mine.from_below);
            mine.here = Place(
                select(among & (partitions - 1u), among / LANES, SYSTEMS_FIRST),
                select(among >> countTrailingZeros(partitions), among % LANES, SYSTEMS_FIRST),
            );
            let first = partition_at(start, count, mine.here);
            let rows = rows_at(first, count, mine.from_below);
            let found = eliminate_inner(rows);
            mine.kept = found.kept;
            keep_weakest(t, found.weakest_pivot, rows);
            let row = 2u * mine.here.chunk + select(1u, 0u, mine.from_below);
            nodes[node(above, 2u * partitions, row, mine.here.lane)] = scaled(seen_from(found.end, mine.from_below));
        }
        settle_level(t, mine, start, count, node(above, 2u * partitions, 2u * mine.here.chunk, mine.here.lane));
        first_thread += 2u * team;
        start = above;
        count = 2u * partitions;
    }
    workgroupBarrier();
    top = start;
    return mine;
}
