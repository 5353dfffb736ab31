// role: work
import super::numbers::numbers;
import roles::real::real4;

// y += s x, or y -= s x, with s one of the scalars.
override SCALAR: u32 = 0u;
override MINUS: bool = false;

@group(0) @binding(4) var<storage, read_write> y: array<real4>;
@group(0) @binding(5) var<storage, read> x: array<real4>;

fn work(q: u32) {
    let s = numbers[SCALAR];
    y[q] += select(s, -s, MINUS) * x[q];
}
