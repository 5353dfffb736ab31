// role: weakest
import package::shared::place::{CHUNKS, Place, Share};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import package::shared::status::report_singular_partition;
import package::shared::workgroup::WORKGROUP;
import super::pivoting::{Elimination, WEAK, Window, candidate_of, known_from, pivoted, substituted};
import super::pivoting_tree::{LEVELS, Part, STEP, TOP, TOP_START, length_of, node, nodes, partition_at, top};
import super::sizes::INNER;
import roles::real::{real, real4};
import roles::scale::{ROUNDED, ROUNDED_OFTEN};
import roles::singular::are_doubtful;
import roles::verdict::concerns;

const LOG_STEP = 0u; // set by Rust

// The way back from the top of the coarse systems (pivoting_tree.wgsl) to the threads' own rows.

// Of each thread's part of a level; below 0 where rows below it are singular on their own, or its own are dependent.
var<workgroup> weakest_pivots: array<real, WORKGROUP>;

fn keep_weakest(t: u32, found: Elimination, rows: array<real4, ROWS>) {
    let doubtful = are_doubtful(rows) | (found.least < ROUNDED_OFTEN);
    weakest_pivots[t] = select(found.weakest_pivot, real(-1.0), doubtful);
}

// The first of the workgroup's problems.
var<private> own_base: u32;

fn note_singular(local_problem: u32) {
    let problem = own_base + local_problem;
    if (problem < params.problems && concerns(0u, Share(0u, own_base, problem, 0u, true), false)) {
        report_singular_partition(problem);
    }
}

// Behind the top, for each problem: the unknowns beside its slice.
fn outer_place(local_problem: u32) -> u32 {
    return top + length_of(TOP) + local_problem;
}

// The unknowns that a partition needs: before it, its first and last, and behind it.
fn known_at(start: u32, partitions: u32, here: Place) -> real4 {
    let first = 2u * here.chunk;
    let count = 2u * partitions;
    let outer = nodes[outer_place(here.local_problem)];
    var known = real4(
        outer.x,
        nodes[node(start, count, first, here.local_problem)].x,
        nodes[node(start, count, first + 1u, here.local_problem)].x,
        outer.y,
    );
    if (here.chunk > 0u) {
        known.x = nodes[node(start, count, first - 1u, here.local_problem)].x;
    }
    if (here.chunk + 1u < partitions) {
        known.w = nodes[node(start, count, first + 2u, here.local_problem)].x;
    }
    return known;
}

// As solved_inner, of the partition that begins at `first`, its relations and unknowns in place of rows that are done with: so it
// takes few registers. Returns whether it is doubtful.
fn solve_in_place(first: u32, known: real4) -> bool {
    var window = Window(candidate_of(nodes[first], 0u, known), candidate_of(nodes[first + STEP], 1u, known), 1.0);
    for (var i = 0u; i < INNER; i++) { // unroll
        let next = candidate_of(nodes[first + (i + 2u) * STEP], i + 2u, known);
        nodes[first + (i + 1u) * STEP] = real4(0.0, pivoted(&window, next));
    }
    substitute_in_place(first + STEP, INNER);
    return window.weakest_pivot < ROUNDED;
}

// From the relations of so many unknowns.
fn substitute_in_place(first: u32, count: u32) {
    var next = real(0.0);
    var far = real(0.0);
    for (var i = count; i > 0u; i--) {
        let at = first + (i - 1u) * STEP;
        let relation = nodes[at].yzw;
        let own = relation.z - relation.x * next - relation.y * far;
        far = next;
        next = own;
        nodes[at].x = own;
    }
}

// From the unknowns of the top, which stand in its rows' first places, to those that thread t's own rows need.
fn fall(t: u32, own: Place, mine: Part) -> real4 {
    var above = TOP_START;
    // Rolled: code is fetched once.
    for (var level = LEVELS + params.zero; level > 0u; level--) {
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
                if (weakest >= WEAK) {
                    let inner = substituted(mine.kept, known_from(known, mine.from_below));
                    for (var i = 0u; i < INNER; i++) { // unroll
                        nodes[first + select(i + 1u, INNER - i, mine.from_below) * STEP].x = inner[i];
                    }
                } else if (solve_in_place(first, known)) {
                    note_singular(mine.here.local_problem);
                }
                if (min(weakest, other) < 0.0) {
                    note_singular(mine.here.local_problem);
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
