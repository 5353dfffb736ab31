// role: summed_work
import super::matrix::product;
import super::sizes::SUMS;
import roles::real::{real, real4};

// y = A x, with y w, y y, and the sizes of y w's terms.
@group(0) @binding(7) var<storage, read_write> y: array<real4>;
@group(0) @binding(8) var<storage, read> w_: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = product(q);
    y[q] = own;
    return array<real, SUMS>(dot(own, w_[q]), dot(own, own), dot(abs(own), abs(w_[q])));
}
