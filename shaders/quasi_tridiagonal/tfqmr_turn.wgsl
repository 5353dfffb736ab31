// role: work
import super::numbers::numbers;
import super::scalars::BETA;
import roles::real::real4;

// After both half steps: u = w + beta u, v = beta (A M^-1 u + beta v), to which the new A M^-1 u will be added.
@group(0) @binding(4) var<storage, read_write> u: array<real4>;
@group(0) @binding(5) var<storage, read> w_: array<real4>;
@group(0) @binding(6) var<storage, read_write> v: array<real4>;
@group(0) @binding(7) var<storage, read> au: array<real4>;

fn work(q: u32) {
    let beta = numbers[BETA];
    u[q] = w_[q] + beta * u[q];
    v[q] = beta * (au[q] + beta * v[q]);
}
