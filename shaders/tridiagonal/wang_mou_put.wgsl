import package::shared::block::value;
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import roles::real::{is_finite, real, real4};
import roles::report::report_chunk;
import roles::store::store_rows;

// A thread's unknowns from its rows, whose complement is NaN where an input was not finite.
fn put_unknowns(problem: u32, start: u32, own: array<real4, ROWS>, outer: vec2<real>, owned: bool) {
    var x: array<real, ROWS>;
    var sound = true;
    for (var i = 0u; i < ROWS; i++) { // unroll
        x[i] = value(own[i], outer.x, outer.y);
        sound = sound && is_finite(own[i].w) && is_finite(x[i]);
    }
    if (owned && start < params.n && !sound) {
        report_chunk(problem, start);
    }
    store_rows(problem, start, x, owned);
}
