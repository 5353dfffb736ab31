// role: lower, diag, upper, rhs
import package::shared::problem::{params, system_count, system_of};
import super::structure::{EACH, System};
import roles::caller::{trisolve_diag, trisolve_lower, trisolve_rhs, trisolve_upper};
import roles::real::{real, real4};

// Coefficients by the caller's formulas. No row past the end calls them.
const LOWER_FORM = EACH;
const DIAG_FORM = EACH;
const UPPER_FORM = EACH;

// Nothing is read: arrange.wgsl calls the formulas.
const LOWER_READ = false;
const DIAG_READ = false;
const UPPER_READ = false;
const RHS_READ = false;

fn lower_at(system: System, row: u32) -> real {
    return trisolve_lower(row, system.number, params.n, system_count());
}

fn diag_at(system: System, row: u32) -> real {
    return trisolve_diag(row, system.number, params.n, system_count());
}

fn upper_at(system: System, row: u32) -> real {
    return trisolve_upper(row, system.number, params.n, system_count());
}

fn right_side_at(problem: u32, right: u32, row: u32) -> real {
    return trisolve_rhs(row, system_of(problem), params.n, system_count(), problem % params.columns);
}

fn lower_quad(i: u32) -> real4 {
    return real4();
}

fn diag_quad(i: u32) -> real4 {
    return real4();
}

fn upper_quad(i: u32) -> real4 {
    return real4();
}

fn rhs_quad(i: u32) -> real4 {
    return real4();
}
