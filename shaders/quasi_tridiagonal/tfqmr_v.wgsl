// role: summed_work
import super::sizes::SUMS;
import roles::real::{real, real4};

// v += A M^-1 u, with v shadow and its terms' sizes.
@group(0) @binding(4) var<storage, read_write> v: array<real4>;
@group(0) @binding(5) var<storage, read> au: array<real4>;
@group(0) @binding(6) var<storage, read> shadow: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = v[q] + au[q];
    v[q] = own;
    return array<real, SUMS>(dot(own, shadow[q]), dot(abs(own), abs(shadow[q])));
}
