// role: work
import roles::real::real4;

@group(0) @binding(4) var<storage, read> u: array<real4>;
@group(0) @binding(5) var<storage, read_write> v: array<real4>;

fn work(q: u32) {
    v[q] = u[q];
}
