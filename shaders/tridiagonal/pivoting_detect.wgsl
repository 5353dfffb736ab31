// role: singular
import package::shared::sizes::ROWS;
import super::pivoting::{Pair, difference_of};
import super::pivoting_tree::{Part, levels};
import roles::real::{real, real4};
import roles::scale::{ROUNDED, ROUNDED_OFTEN};
import roles::weakest::note_singular;

const PAIRS = 0u; // set by Rust

// Partitions whose inner rows are singular on their own, to rounding, are solved as they are, and said to be so.
fn settled_leaf(t: u32, problem: u32, at: u32, pair: Pair) -> Pair {
    return pair;
}

// Whoever has a level's rows looks at what is left of those below.
fn are_doubtful(rows: array<real4, ROWS>) -> bool {
    var least = real(1.0);
    for (var i = 0u; i < PAIRS; i++) { // unroll
        least = min(least, difference_of(Pair(rows[2u * i], rows[2u * i + 1u])));
    }
    return least < select(ROUNDED, ROUNDED_OFTEN, levels > 1u);
}

// The same of two rows at the top, of several.
fn is_doubtful(pair: Pair) -> bool {
    return difference_of(pair) < select(ROUNDED, ROUNDED_OFTEN, levels > 0u);
}

fn look_at_top(local_problem: u32, pair: Pair) {
    if (difference_of(pair) < ROUNDED_OFTEN) {
        note_singular(local_problem);
    }
}

fn settle_level(t: u32, part: Part, start: u32, count: u32, pair_at: u32) {
}
