// role: work
import super::numbers::numbers;
import super::scalars::INVERSE_NORM;
import roles::real::real4;

// v / ||v||.
@group(0) @binding(4) var<storage, read_write> v: array<real4>;

fn work(q: u32) {
    v[q] *= numbers[INVERSE_NORM];
}
