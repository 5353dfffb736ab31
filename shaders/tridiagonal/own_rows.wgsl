// role: own_rows
import package::shared::block::relation;
import package::shared::sizes::ROWS;
import super::rows::equation_at;
import roles::load::load_rows;
import roles::real::real4;

// A thread's rows, each in terms of the rows beside it, from the caller's vectors.
fn own_rows(problem: u32, start: u32) -> array<real4, ROWS> {
    var rows = load_rows(problem, start);
    var own: array<real4, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        own[i] = relation(equation_at(&rows, i));
    }
    return own;
}
