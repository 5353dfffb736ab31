// role: summed_work
import super::sizes::SUMS;
import roles::real::{real, real4};

// u v, its terms' sizes, and u u.
@group(0) @binding(4) var<storage, read> u: array<real4>;
@group(0) @binding(5) var<storage, read> v: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = u[q];
    return array<real, SUMS>(dot(own, v[q]), dot(abs(own), abs(v[q])), dot(own, own));
}
