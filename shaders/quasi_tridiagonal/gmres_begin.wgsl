// role: decision
import super::control::{COLUMNS, CYCLE_SCALE, IN_CYCLE, ITERATE, PHASE};
import super::decide::{control, number, numbers};
import super::gmres_tables::gmres_right_at;
import super::observe::judge;
import super::scalars::INVERSE_NORM;
import super::sizes::SUMS;
import roles::real::real;

// A restart: the basis begins with the residual, whose norm is the first entry of the small system's right-hand side.
fn decide(sums: array<real, SUMS>) {
    let norm = sqrt(sums[0]);
    control[COLUMNS] = 0u;
    let residual = f32(norm) * number(CYCLE_SCALE);
    judge(control[IN_CYCLE], residual, residual);
    if (control[PHASE] == ITERATE) {
        numbers[INVERSE_NORM] = 1.0 / norm;
        numbers[gmres_right_at(0u)] = norm;
    }
}
