// role: summed_work
import super::matrix::product;
import super::sizes::SUMS;
import roles::real::{real, real4};

// r = f - A x. 84 bytes per row in f64 with three entries beside the tridiagonal, 48 in f32.
@group(0) @binding(7) var<storage, read> f: array<real4>;
@group(0) @binding(8) var<storage, read_write> r: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = f[q] - product(q);
    r[q] = own;
    return array<real, SUMS>(dot(own, own));
}
