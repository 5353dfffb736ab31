// role: singular
import package::shared::place::place;
import package::shared::problem::{has_neighbours, params};
import package::shared::sizes::ROWS;
import super::pivoting::{Pair, difference_of, inverse_of, mirrored, remaining, scaled_row, seen_from};
import super::pivoting_tree::{Part, STEP, levels, nodes, partition_at};
import roles::pivoting_leaf::leaf_row;
import roles::real::{real, real4};
import roles::scale::{HALF_OF_DIGITS, ROUNDED, ROUNDED_OFTEN, SINGULAR};
import roles::weakest::note_singular;

// Partitions whose inner rows are singular on their own, as of small integers many are.
//
// They leave the same row from above and from below. Of what the outer rows say, a share remains that is the inner rows' last pivot, beside the rest of its row and what the outer rows have of
// the unknowns next to them. So such rows are eliminated with other diagonals, which leave half of the digits of both.
// Hardly ever, so in loops that take the rows one by one.

// Where a partition's rows are: a problem's, or those from a node on.
struct Source {
    in_nodes: bool,
    problem: u32,
    at: u32,
}

fn row_again(source: Source, i: u32) -> real4 {
    if (!source.in_nodes) {
        return leaf_row(source.problem, source.at * ROWS + i);
    }
    return nodes[source.at + i * STEP];
}

// What a diagonal is changed by: quotients whose sums are 0 for large integers only, lest the changes cancel.
fn change_of(at: u32) -> real {
    let place = f32(at);
    return HALF_OF_DIGITS / real(0.7 + 0.13 * place + 0.011 * place * place);
}

struct Mended {
    pair: Pair,
    // Whether the inner rows were singular to rounding.
    doubtful: bool,
}

// The rows that are left of a partition that left two alike. What is singular twice leaves two that are not, and needs
// no more.
fn mended(source: Source, alike: Pair) -> Mended {
    var it = Mended(alike, true);
    let tie = abs(row_again(source, 0u).z * row_again(source, ROWS - 1u).x);
    var singular = true;
    // From above and from below, as the rows are, then changed.
    for (var way = 0u; way < 4u && singular; way++) {
        let below = (way & 1u) != 0u;
        var carried = real4(0.0);
        var remainder = real(0.0);
        var beside = real(0.0);
        // Such a bound keeps the loop rolled.
        for (var i = 1u; i < ROWS + params.zero; i++) {
            let at = select(i, ROWS - 1u - i, below);
            var row = seen_from(row_again(source, at), below);
            if (way > 1u && i < ROWS - 1u) {
                row.y += change_of(at);
            }
            if (i == 1u) {
                carried = row;
                continue;
            }
            remainder = abs(carried.y);
            beside = max(abs(carried.x), abs(carried.z));
            let exchange = abs(row.x) > remainder;
            let factor = -(select(row.x, carried.y, exchange) * inverse_of(select(carried.y, row.x, exchange)));
            carried = remaining(carried, row, factor, exchange);
        }
        if (way < 2u) {
            singular = remainder < SINGULAR * tie * beside;
            it.doubtful = it.doubtful && remainder < ROUNDED * tie * beside;
        } else if (below) {
            it.pair.first = scaled_row(mirrored(carried));
        } else {
            it.pair.last = scaled_row(carried);
        }
    }
    it.doubtful = it.doubtful && singular;
    return it;
}

fn settled_leaf(t: u32, problem: u32, at: u32, pair: Pair) -> Pair {
    if (difference_of(pair) >= 4.0 * SINGULAR) {
        return pair;
    }
    let it = mended(Source(false, problem, at), pair);
    if (it.doubtful) {
        note_singular(place(t).local_problem);
    }
    return it.pair;
}

fn are_doubtful(rows: array<real4, ROWS>) -> bool {
    return false;
}

fn is_doubtful(pair: Pair) -> bool {
    return false;
}

// Two rows that are all of a system cannot be mended.
fn look_at_top(local_problem: u32, pair: Pair) {
    if (!has_neighbours() && difference_of(pair) < ROUNDED_OFTEN) {
        note_singular(local_problem);
    }
}

// Of the two threads that have written what is left of a partition, one has both rows then.
fn settle_level(t: u32, part: Part, start: u32, count: u32, pair_at: u32) {
    workgroupBarrier();
    if (part.level != levels || part.from_below) {
        return;
    }
    let pair = Pair(nodes[pair_at], nodes[pair_at + STEP]);
    if (difference_of(pair) < 4.0 * SINGULAR) {
        let it = mended(Source(true, 0u, partition_at(start, count, part.here)), pair);
        nodes[pair_at] = it.pair.first;
        nodes[pair_at + STEP] = it.pair.last;
        if (it.doubtful) {
            note_singular(part.here.local_problem);
        }
    }
}
