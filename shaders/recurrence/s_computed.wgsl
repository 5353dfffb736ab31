// role: s
import package::shared::lead::lead;
import package::shared::problem::params;
import roles::caller::trisolve_s;
import roles::real::{UNIT, real, real4, unit, unit_of};

// s by the caller's formula, which no row past the end comes to.
const SAME_S = false;

fn s_at(problem: u32, row: u32, base: u32) -> real {
    return trisolve_s(min(row, params.n - 1u), problem, params.n, params.problems);
}

fn s_four(problem: u32, row: u32, base: u32) -> real4 {
    return real4(
        s_at(problem, row, base),
        s_at(problem, row + 1u, base),
        s_at(problem, row + 2u, base),
        s_at(problem, row + 3u, base),
    );
}

fn s_unit(problem: u32, k: u32, base: u32) -> unit {
    var rows: array<real, UNIT>;
    for (var i = 0u; i < UNIT; i++) { // unroll
        rows[i] = s_at(problem, k * UNIT + i - lead(base), base);
    }
    return unit_of(rows);
}
