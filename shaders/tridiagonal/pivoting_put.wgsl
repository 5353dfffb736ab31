// role: pivoting_put
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import package::shared::status::report_pivoting;
import roles::real::{is_finite, real};
import roles::report::report_chunk;
import roles::store::store_rows;

// All reads of a slice come before its writes, so x may lie over rhs.
fn put_leaf(readable: bool, problem: u32, at: u32, values: array<real, ROWS>, owned: bool) {
    let start = at * ROWS;
    // What is not finite makes all unknowns so that are substituted behind it, from above or below.
    let sound = readable && is_finite(values[0]) && is_finite(values[1]) && is_finite(values[ROWS - 2u])
        && is_finite(values[ROWS - 1u]);
    if (owned && start == 0u) {
        report_pivoting(problem);
    }
    if (owned && start < params.n && !sound) {
        report_chunk(problem, start);
    }
    store_rows(problem, start, values, owned);
}
