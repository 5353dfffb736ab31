import package::shared::place::{PROBLEMS, Share};
import package::shared::problem::{has_neighbours, params};
import super::form::CLOSED;
import super::pivoting::{Candidate, Pair, Window, pivoted, solved_pair};
import super::pivoting_fall::{outer_place, substitute_in_place};
import super::pivoting_tree::{STEP, TOP, node, nodes, top};
import roles::real::{real, real4};
import roles::ring::{around, whole};
import roles::scale::ROUNDED_OFTEN;
import roles::singular::{is_doubtful, look_at_top};
import roles::weakest::note_singular;

// The unknowns at the top of a slice: those that the coarse systems have found, or, where the slice is all of its system, from
// the rows that are left.
@group(0) @binding(7) var<storage, read> slice_x: array<real>;

// The unknowns before a problem's slice, its first and last, and that behind it.
fn known_of(problem: u32, slice: u32) -> real4 {
    let start = 2u * problem * params.slices;
    let at = start + 2u * slice;
    var known = real4(0.0, slice_x[at], slice_x[at + 1u], 0.0);
    if (slice > 0u) {
        known.x = slice_x[at - 1u];
    } else if (CLOSED) {
        known.x = slice_x[start + 2u * params.slices - 1u];
    }
    if (slice + 1u < params.slices) {
        known.w = slice_x[at + 2u];
    } else if (CLOSED) {
        known.w = slice_x[start];
    }
    return known;
}

fn find_top(t: u32, share: Share) {
    if (t >= PROBLEMS) {
        return;
    }
    if (TOP > 2u) {
        solve_top(t);
        return;
    }
    let first = node(top, 2u, 0u, t);
    let last = node(top, 2u, 1u, t);
    var pair = Pair(nodes[first], nodes[last]);
    var known = real4(0.0);
    if (has_neighbours()) {
        known = known_of(min(share.base + t, params.problems - 1u), share.slice);
    } else {
        pair = whole(pair);
        known = around(solved_pair(pair.first, pair.last));
    }
    look_at_top(t, pair);
    nodes[first].x = known.y;
    nodes[last].x = known.z;
    nodes[outer_place(t)] = real4(known.x, known.w, 0.0, 0.0);
}

// More than two rows are those of a system: a level less than of two.
fn solve_top(local_problem: u32) {
    let none = Candidate(0.0, 0.0, 0.0, 0.0);
    let first = node(top, TOP, 0u, local_problem);
    var row = nodes[first];
    var window = Window(none, Candidate(row.y, row.z, 0.0, row.w), 1.0);
    var doubtful = false;
    for (var i = 1u; i < TOP; i++) {
        let above = row;
        row = nodes[first + i * STEP];
        doubtful = doubtful || (i % 2u == 1u && is_doubtful(Pair(above, row)));
        let relation = pivoted(&window, Candidate(row.x, row.y, row.z, row.w));
        nodes[first + (i - 1u) * STEP] = real4(0.0, relation);
    }
    nodes[first + (TOP - 1u) * STEP] = real4(0.0, pivoted(&window, none));
    substitute_in_place(first, TOP);
    nodes[outer_place(local_problem)] = real4(0.0);
    if (doubtful || window.weakest_pivot < ROUNDED_OFTEN) {
        note_singular(local_problem);
    }
}
