// role: decision
import super::control::COLUMNS;
import super::decide::{control, numbers};
import super::gmres_tables::entry_at;
import super::params::params;
import super::sizes::SUMS;
import roles::real::real;

// Entries first.. of the column that is being made, as many as there are vectors.
override VECTORS: u32 = 4u;

fn decide(sums: array<real, SUMS>) {
    let j = control[COLUMNS];
    for (var i = 0u; i < VECTORS; i++) {
        numbers[entry_at(params.first + i, j)] = sums[i];
    }
}
