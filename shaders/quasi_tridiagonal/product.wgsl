// role: work
import super::matrix::product;
import roles::real::real4;

// y = A x.
@group(0) @binding(7) var<storage, read_write> y: array<real4>;

fn work(q: u32) {
    y[q] = product(q);
}
