// role: t
import package::shared::lead::lead;
import package::shared::problem::params;
import roles::caller::trisolve_t;
import roles::real::{UNIT, real, real4, unit, unit_of};

// t by the caller's formula, which no row past the end comes to.
const SAME_T = false;

fn t_at(problem: u32, row: u32, base: u32) -> real {
    return trisolve_t(min(row, params.n - 1u), problem, params.n, params.problems);
}

fn t_four(problem: u32, row: u32, base: u32) -> real4 {
    return real4(
        t_at(problem, row, base),
        t_at(problem, row + 1u, base),
        t_at(problem, row + 2u, base),
        t_at(problem, row + 3u, base),
    );
}

fn t_unit(problem: u32, k: u32, base: u32) -> unit {
    var rows: array<real, UNIT>;
    for (var i = 0u; i < UNIT; i++) { // unroll
        rows[i] = t_at(problem, k * UNIT + i - lead(base), base);
    }
    return unit_of(rows);
}
