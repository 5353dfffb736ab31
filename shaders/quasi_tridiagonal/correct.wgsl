// role: summed_work
import super::sizes::SUMS;
import roles::real::{real, real4};

// x += z, with the squares of z and x.
@group(0) @binding(4) var<storage, read_write> x: array<real4>;
@group(0) @binding(5) var<storage, read> z: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let step = z[q];
    let own = x[q] + step;
    x[q] = own;
    return array<real, SUMS>(dot(step, step), dot(own, own));
}
