// role: work
import super::numbers::numbers;
import super::scalars::{BETA, OMEGA};
import roles::real::real4;

// p = r + beta (p - omega v).
@group(0) @binding(4) var<storage, read_write> p: array<real4>;
@group(0) @binding(5) var<storage, read> r: array<real4>;
@group(0) @binding(6) var<storage, read> v: array<real4>;

fn work(q: u32) {
    p[q] = r[q] + numbers[BETA] * (p[q] - numbers[OMEGA] * v[q]);
}
