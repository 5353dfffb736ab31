// role: summed_work
import super::numbers::numbers;
import super::scalars::{ALPHA, KEPT};
import super::sizes::SUMS;
import roles::real::{real, real4};

// w -= alpha A M^-1 u; the update direction becomes M^-1 u and what it keeps; with w w, w shadow and its terms' sizes.
@group(0) @binding(4) var<storage, read_write> w_: array<real4>;
@group(0) @binding(5) var<storage, read> au: array<real4>;
@group(0) @binding(6) var<storage, read_write> update: array<real4>;
@group(0) @binding(7) var<storage, read> u: array<real4>;
@group(0) @binding(8) var<storage, read> shadow: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = w_[q] - numbers[ALPHA] * au[q];
    w_[q] = own;
    update[q] = u[q] + numbers[KEPT] * update[q];
    return array<real, SUMS>(dot(own, own), dot(own, shadow[q]), dot(abs(own), abs(shadow[q])));
}
