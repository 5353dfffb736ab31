// r becomes s = r - alpha v.
@group(0) @binding(4) var<storage, read_write> r: array<real4>;
@group(0) @binding(5) var<storage, read> v: array<real4>;

fn work(q: u32) {
    r[q] -= numbers[ALPHA] * v[q];
}
