// role: summed_work
import super::numbers::numbers;
import super::scalars::ALPHA;
import super::sizes::SUMS;
import roles::real::{real, real4};

// r -= alpha A p, r~ -= alpha A^T p~, with r r.
@group(0) @binding(4) var<storage, read_write> r: array<real4>;
@group(0) @binding(5) var<storage, read> v: array<real4>;
@group(0) @binding(6) var<storage, read_write> r_: array<real4>;
@group(0) @binding(7) var<storage, read> v_: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = r[q] - numbers[ALPHA] * v[q];
    r[q] = own;
    r_[q] -= numbers[ALPHA] * v_[q];
    return array<real, SUMS>(dot(own, own));
}
