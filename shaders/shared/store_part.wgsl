import super::lead::lead;
import super::problem::params;
import roles::real::{UNIT, real, unit_of};
import roles::store::{store_at, store_unit};

// Stores only the rows of the k-th unit that belong to the sequence; the caller owns the others.
fn store_unit_in_part(base: u32, k: u32, values: array<real, UNIT>) {
    let row = k * UNIT - lead(base);
    if (row < params.n && row + UNIT <= params.n) {
        store_unit(base, k, unit_of(values));
        return;
    }
    for (var i = 0u; i < UNIT; i++) { // unroll
        if (row + i < params.n) {
            store_at(base, row + i, values[i]);
        }
    }
}
