// role: summed_work
import super::sizes::SUMS;
import roles::real::{real, real4};

// w v of up to four vectors of the basis.
@group(0) @binding(4) var<storage, read> w_: array<real4>;
@group(0) @binding(5) var<storage, read> v0: array<real4>;
@group(0) @binding(6) var<storage, read> v1: array<real4>;
@group(0) @binding(7) var<storage, read> v2: array<real4>;
@group(0) @binding(8) var<storage, read> v3: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = w_[q];
    return array<real, SUMS>(dot(own, v0[q]), dot(own, v1[q]), dot(own, v2[q]), dot(own, v3[q]));
}
