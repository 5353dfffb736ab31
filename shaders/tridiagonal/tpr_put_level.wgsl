// role: tpr_put
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import roles::real::{real, real4};
import roles::sink::sink;

fn put_rows(problem: u32, start: u32, own: array<real4, ROWS>, x: array<real, ROWS>, owned: bool) {
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (owned && start + i < params.n) {
            sink(problem, start + i, x[i]);
        }
    }
}
