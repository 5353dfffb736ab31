// role: summed_work
import super::params::params;
import super::sizes::SUMS;
import roles::guess::guess;
import roles::real::{real, real4};
import roles::row_scale::scaled_entry;

// f = row-scaled b / m and y = guess / m, with m the largest entry of the scaled b.
@group(0) @binding(3) var<storage, read> numbers: array<real>;
@group(0) @binding(4) var<storage, read> rhs: array<real>;
@group(0) @binding(5) var<storage, read_write> f: array<real4>;
@group(0) @binding(6) var<storage, read_write> y: array<real4>;

const LARGEST = 0u;

fn summed_work(q: u32) -> array<real, SUMS> {
    var own = real4(0.0);
    for (var i = 0u; i < 4u; i++) {
        if (4u * q + i < params.rows) {
            own[i] = scaled_entry(4u * q + i, rhs[4u * q + i]) / numbers[LARGEST];
        }
    }
    f[q] = own;
    y[q] = guess(q);
    return array<real, SUMS>(dot(own, own));
}
