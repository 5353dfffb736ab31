import package::shared::place::{PROBLEMS, Place, SYSTEMS_FIRST};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::pivoting::{Kept, PASSED_ON, Pair, eliminate_inner, scaled_row, seen_from};
import roles::real::real4;
import roles::singular::settle_level;
import roles::weakest::keep_weakest;

// The coarse systems of a workgroup's slices, one above the other: of 2 CHUNKS rows first, of two at the top. A
// level's rows lie behind those of the level below, with a gap after every ROWS of them, which keeps threads that each
// read a partition in different banks.
//
// Each partition of a level is eliminated by two threads, one from above and one from below. Every level has threads of
// its own, which hold what they will substitute with until its unknowns are known.
override NODES: u32 = 1024u;

var<workgroup> nodes: array<real4, NODES>;

// From a row of a partition to the next.
override STEP: u32 = select(1u, PROBLEMS, SYSTEMS_FIRST);

// The only partition of the highest level may have fewer than ROWS, 4 at the least. It is filled up in the middle, so that
// its first and last unknown are a partition's as ever, and two rows that are left of one partition below stay together.
override PARTIAL: bool = true;

// Rows that are left at the top: of a slice with neighbours two.
override TOP: u32 = 2u;

fn is_partial(count: u32) -> bool {
    return PARTIAL & (count > 2u) & (count < ROWS);
}

// Rows of a level, those that fill it up with them.
fn filled(count: u32) -> u32 {
    return select(count, ROWS, is_partial(count));
}

// Numbers that a level of so many rows takes.
fn length_of(count: u32) -> u32 {
    let rows = filled(count);
    return PROBLEMS * (rows + (rows - 1u) / ROWS);
}

// The first row of a partition of a level.
fn partition_at(start: u32, count: u32, here: Place) -> u32 {
    let row = here.chunk * (ROWS + 1u);
    let contiguous = here.local_problem * (length_of(count) / PROBLEMS) + row;
    return start + select(contiguous, row * PROBLEMS + here.local_problem, SYSTEMS_FIRST);
}

fn node(start: u32, count: u32, row: u32, local_problem: u32) -> u32 {
    let at = select(row, row + ROWS - count, is_partial(count) & (2u * row >= count));
    return partition_at(start, count, Place(at / ROWS, local_problem)) + at % ROWS * STEP;
}

// Whoever writes one of a level's rows writes its share of those that fill it up.
fn put_node(start: u32, count: u32, row: u32, local_problem: u32, value: real4) {
    nodes[node(start, count, row, local_problem)] = value;
    if (is_partial(count)) {
        for (var at = count / 2u + row; at < ROWS - count / 2u; at += count) {
            nodes[partition_at(start, count, Place(0u, local_problem)) + at * STEP] = PASSED_ON;
        }
    }
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

// The rows of a partition that begins at `first`, in the order of their elimination.
fn rows_at(first: u32, from_below: bool) -> array<real4, ROWS> {
    var rows: array<real4, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows[i] = seen_from(nodes[first + select(i, ROWS - 1u - i, from_below) * STEP], from_below);
    }
    return rows;
}

// Levels, and where the highest begins: `levels` and `top` once more, which `rise` finds, so that they are uniform and barriers may stand in
// a loop over them.
override LEVELS: u32 = 0u;
override TOP_START: u32 = 0u;

// Where the highest level begins, and how many there are.
var<private> top: u32;
var<private> levels: u32;

// From the ends of the threads' rows to the top.
fn rise(t: u32, own: Place, pair: Pair) -> Part {
    var mine: Part;
    mine.level = 0u;
    var start = 0u;
    var count = 2u << params.log_chunks;
    var first_thread = 0u;
    levels = 0u;
    put_node(start, count, 2u * own.chunk, own.local_problem, pair.first);
    put_node(start, count, 2u * own.chunk + 1u, own.local_problem, pair.last);
    while (count > TOP) {
        workgroupBarrier();
        levels++;
        let partitions = max(count / ROWS, 1u);
        let above = start + length_of(count);
        let team = partitions * PROBLEMS;
        // Of threads before the first this is past all.
        let turn = t - first_thread;
        if (turn < 2u * team) {
            mine.level = levels;
            mine.from_below = turn >= team;
            let among = select(turn, turn - team, mine.from_below);
            mine.partner = select(t + team, t - team, mine.from_below);
            mine.here = Place(
                select(among & (partitions - 1u), among / PROBLEMS, SYSTEMS_FIRST),
                select(among >> countTrailingZeros(partitions), among % PROBLEMS, SYSTEMS_FIRST),
            );
            let rows = rows_at(partition_at(start, count, mine.here), mine.from_below);
            let found = eliminate_inner(rows);
            mine.kept = found.kept;
            keep_weakest(t, found, rows);
            let row = 2u * mine.here.chunk + select(1u, 0u, mine.from_below);
            let left = scaled_row(seen_from(found.end, mine.from_below));
            put_node(above, 2u * partitions, row, mine.here.local_problem, left);
        }
        settle_level(t, mine, start, count, node(above, 2u * partitions, 2u * mine.here.chunk, mine.here.local_problem));
        first_thread += 2u * team;
        start = above;
        count = 2u * partitions;
    }
    workgroupBarrier();
    top = start;
    return mine;
}
