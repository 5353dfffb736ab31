// role: work
import super::numbers::numbers;
import super::scalars::BETA;
import roles::real::real4;

// p = z + beta p.
@group(0) @binding(4) var<storage, read_write> p: array<real4>;
@group(0) @binding(5) var<storage, read> z: array<real4>;

fn work(q: u32) {
    p[q] = z[q] + numbers[BETA] * p[q];
}
