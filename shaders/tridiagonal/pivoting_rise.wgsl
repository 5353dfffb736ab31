// role: weakest
import package::shared::sizes::ROWS;
import super::pivoting::Elimination;
import roles::real::real4;

// Of the coarse systems (pivoting_tree.wgsl) only the top is wanted; the second pass says what is to be said of the rest.
fn keep_weakest(t: u32, found: Elimination, rows: array<real4, ROWS>) {
}

fn note_singular(local_problem: u32) {
}
