import super::head::{Head, head_at_or_behind};
import super::lead::places_before;
import super::order::REVERSE;
import super::problem::params;

// Heads where rows are taken in either direction: the first row that is taken of each problem.

// As it lies.
fn problem_in_order(problem: u32) -> u32 {
    return select(problem, params.packed_problems - 1u - problem, REVERSE);
}

// The first head at or behind a place; places are counted in the order in which rows are taken.
fn head_from(place: u32) -> Head {
    let before = places_before(0u);
    if (place <= before) {
        return Head(before - place, problem_in_order(0u));
    }
    let head = head_at_or_behind(place - before);
    return Head(head.rows, problem_in_order(min(head.problem, params.packed_problems - 1u)));
}

// The head behind another; behind the last one its place only.
fn next_head(head: Head) -> Head {
    let problem = select(head.problem + 1u, head.problem - 1u, REVERSE);
    return Head(head.rows + params.packed_rows, min(problem, params.packed_problems - 1u));
}
