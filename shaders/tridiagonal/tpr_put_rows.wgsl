// role: tpr_put
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import roles::real::{is_finite, real, real4};
import roles::report::report_chunk;
import roles::store::store_rows;

// All reads of a slice come before its writes, so x may lie over rhs. An infinite diagonal would
// pass unseen as x = 0: it makes its row's complement NaN. An odd row's has gone into its reduced
// relation.
fn put_rows(problem: u32, start: u32, own: array<real4, ROWS>, x: array<real, ROWS>, owned: bool) {
    var sound = true;
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (i % 2u == 0u) {
            sound = sound && is_finite(own[i].w);
        }
        sound = sound && is_finite(x[i]);
    }
    if (owned && start < params.n && !sound) {
        report_chunk(problem, start);
    }
    store_rows(problem, start, x, owned);
}
