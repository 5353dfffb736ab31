// role: work
import super::numbers::numbers;
import super::scalars::{ALPHA, OMEGA};
import roles::real::real4;

// d += alpha M^-1 p + omega M^-1 s.
@group(0) @binding(4) var<storage, read_write> d: array<real4>;
@group(0) @binding(5) var<storage, read> p: array<real4>;
@group(0) @binding(6) var<storage, read> s: array<real4>;

fn work(q: u32) {
    d[q] += numbers[ALPHA] * p[q] + numbers[OMEGA] * s[q];
}
