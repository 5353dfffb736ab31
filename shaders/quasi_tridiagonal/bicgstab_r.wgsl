// role: summed_work
import super::numbers::numbers;
import super::scalars::OMEGA;
import super::sizes::SUMS;
import roles::real::{real, real4};

// r = s - omega t, with r r, r shadow and its terms' sizes.
@group(0) @binding(4) var<storage, read_write> r: array<real4>;
@group(0) @binding(5) var<storage, read> t_: array<real4>;
@group(0) @binding(6) var<storage, read> shadow: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = r[q] - numbers[OMEGA] * t_[q];
    r[q] = own;
    return array<real, SUMS>(dot(own, own), dot(own, shadow[q]), dot(abs(own), abs(shadow[q])));
}
