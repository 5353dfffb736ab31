// role: own_rows
import package::shared::sizes::ROWS;
import roles::real::real4;
import roles::source::source;

// A thread's rows, each in terms of the rows beside it, as the level below left them.
fn own_rows(problem: u32, start: u32) -> array<real4, ROWS> {
    var own: array<real4, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        own[i] = source(problem, start + i);
    }
    return own;
}
