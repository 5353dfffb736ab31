// u -= alpha v.
@group(0) @binding(4) var<storage, read_write> u: array<real4>;
@group(0) @binding(5) var<storage, read> v: array<real4>;

fn work(q: u32) {
    u[q] -= numbers[ALPHA] * v[q];
}
