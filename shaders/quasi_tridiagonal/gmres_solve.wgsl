// role: decision
import super::control::COLUMNS;
import super::decide::{control, numbers};
import super::gmres_tables::{entry_at, gmres_right_at, solution_at};
import super::params::params;
import super::sizes::SUMS;
import roles::real::real;

// The small triangular system of as many columns as there are; the rest of the solution is 0.
fn decide(sums: array<real, SUMS>) {
    let columns = control[COLUMNS];
    for (var i = columns; i < params.count; i++) {
        numbers[solution_at(i)] = 0.0;
    }
    for (var i = columns; i > 0u; i--) {
        var sum = numbers[gmres_right_at(i - 1u)];
        for (var j = i; j < columns; j++) {
            sum -= numbers[entry_at(i - 1u, j)] * numbers[solution_at(j)];
        }
        numbers[solution_at(i - 1u)] = sum / numbers[entry_at(i - 1u, i - 1u)];
    }
    control[COLUMNS] = 0u;
}
