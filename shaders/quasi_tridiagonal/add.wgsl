// role: work
import roles::real::real4;

// d += z.
@group(0) @binding(4) var<storage, read_write> d: array<real4>;
@group(0) @binding(5) var<storage, read> z: array<real4>;

fn work(q: u32) {
    d[q] += z[q];
}
