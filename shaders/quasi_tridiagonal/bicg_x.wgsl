// d += alpha p.
@group(0) @binding(4) var<storage, read_write> d: array<real4>;
@group(0) @binding(5) var<storage, read> p: array<real4>;

fn work(q: u32) {
    d[q] += numbers[ALPHA] * p[q];
}
